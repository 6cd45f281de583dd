"""What a seat knows: as one record (`view`), read from the game itself (`look`), as numbers (`features`)."""
