"""How the equilibrium bidding chart is made: deals with their pay-offs, buckets of hands, CFR+, what it can lose."""
