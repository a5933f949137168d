import type { oas31 } from "zod-openapi";
import { Words } from "@/components/docs/prose";
import { follow } from "@/lib/openapi/reference";

type Schema = oas31.SchemaObject;

interface FieldsProps {
  label: string;
  schema: Schema | oas31.ReferenceObject;
  /** marks required fields; a response always has all of them */
  saysRequired?: boolean;
}

/** A schema's fields, nested ones below their parent. */
export function Fields({ label, schema, saysRequired = false }: FieldsProps) {
  const { properties = {}, required = [], oneOf } = follow<Schema>(schema);
  if (oneOf) {
    return oneOf.map((variant, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the variants of a schema never change places
      <div key={index} className="flex flex-col gap-2">
        <p className="text-text-muted text-xs">{index === 0 ? "Either" : "Or"}</p>
        <Fields label={`${label}, ${index + 1}`} schema={variant} saysRequired={saysRequired} />
      </div>
    ));
  }
  return (
    <dl aria-label={label} className="flex flex-col divide-y divide-border">
      {Object.entries(properties).map(([name, property]) => {
        const field = follow<Schema>(property);
        return (
          <div key={name} className="flex flex-col gap-1 py-2.5 first:pt-0 last:pb-0">
            <dt className="flex flex-wrap items-baseline gap-x-2">
              <code className="break-all font-medium font-mono text-xs">{name}</code>
              <span className="text-text-muted text-xs">{typeOf(field)}</span>
              {saysRequired && required.includes(name) && <span className="text-warning text-xs">required</span>}
            </dt>
            <dd className="flex flex-col gap-2">
              {field.description && (
                <p className="text-text-muted">
                  <Words text={field.description} />
                </p>
              )}
              {field.properties && (
                <div className="border-border border-l pl-3">
                  <Fields label={`${label}, ${name}`} schema={field} />
                </div>
              )}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

function typeOf({ type, anyOf, enum: values, const: value }: Schema): string {
  if (value !== undefined) return JSON.stringify(value);
  if (values) return values.map((one) => JSON.stringify(one)).join(" or ");
  if (anyOf) return anyOf.map((one) => typeOf(follow<Schema>(one))).join(" or ");
  return [type].flat().join(" or ");
}
