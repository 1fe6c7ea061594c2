"""Strict local servers that speak as services of others do: our reading of their contracts, driven through the services' own SDKs."""
