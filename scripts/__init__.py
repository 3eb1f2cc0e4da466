"""What keeps this tree in order, besides the tests."""
