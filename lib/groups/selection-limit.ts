// Apart from the schemas: the list needs it, and would load zod with them.

/** How many groups are deleted or restored by one request. */
export const MAX_SELECTED = 100;
