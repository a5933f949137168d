// What pg's own queries write values with; pg-cursor uses it as well, and @types/pg leaves it out.
declare module "pg/lib/utils.js" {
  const utils: { prepareValue(value: unknown): unknown };
  export default utils;
}
