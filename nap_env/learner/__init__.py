"""What `SeatEnv` and `NapVectorEnv` share: tables with a learner at one seat and agents at the others."""
