"""The compiled rules, and what makes them fast: records, rulebook (THE rules), views, loops, words, threads, memory."""
