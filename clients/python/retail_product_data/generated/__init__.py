"""Types and operations, generated from the OpenAPI document."""
