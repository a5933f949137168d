// pg's serialization of values; pg-cursor uses it too, and @types/pg lacks it.
declare module "pg/lib/utils.js" {
  const utils: { prepareValue(value: unknown): unknown };
  export default utils;
}
