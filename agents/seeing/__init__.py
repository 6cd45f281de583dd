"""What a seat knows: as one record (`view`), read from the game itself (`record_view`), as numbers (`features`)."""
