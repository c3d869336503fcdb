"""May this person donate blood today?"""
