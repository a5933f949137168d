/** The tag of calls about user groups. */
export const USER_GROUPS = {
  name: "User groups",
  description: "Get or create user groups, change, suspend and delete them, and rotate their tokens.",
};
