"""Bids by numbers: classes of hands, the book of their chances, the auction as a tree, bidders."""
