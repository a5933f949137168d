// Separate from the schemas: the list needs this, and would load zod with them.

/** The most groups that one request deletes or restores. */
export const MAX_SELECTED = 100;
