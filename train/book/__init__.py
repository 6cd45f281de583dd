"""``nap book``: the book of all hands, built, shown, drawn, and made into a bidder."""
