"""How an estate is kept in pages and read back without decoding what nobody asks for."""
