"""The commands of `nap`, one file each: what is asked for, done, shown."""
