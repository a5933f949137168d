import type { ReactNode } from "react";
import type { oas31 } from "zod-openapi";
import { Words } from "@/components/docs/prose";
import { follow, membersOf, typeOf } from "@/lib/openapi/reference";

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
  if (Object.keys(properties).length === 0) return <p className="text-text-muted">An empty object.</p>;
  return (
    <dl aria-label={label} className="flex flex-col divide-y divide-border">
      {Object.entries(properties).map(([name, property]) => {
        const field = follow<Schema>(property);
        const members = membersOf(field);
        return (
          <FieldRow
            key={name}
            name={name}
            type={typeOf(field)}
            description={field.description}
            isRequired={saysRequired && required.includes(name)}
          >
            {members && (
              <div className="border-border border-l pl-3">
                <Fields label={`${label}, ${name}`} schema={members} saysRequired={saysRequired} />
              </div>
            )}
          </FieldRow>
        );
      })}
    </dl>
  );
}

/** The parameters of a path or a query. */
export function Parameters({ label, parameters }: { label: string; parameters: oas31.ParameterObject[] }) {
  return (
    <dl aria-label={label} className="flex flex-col divide-y divide-border">
      {parameters.map(({ name, description, required = false, schema = {} }) => {
        const field = follow<Schema>(schema);
        return (
          <FieldRow
            key={name}
            name={name}
            type={typeOf(field)}
            description={description ?? field.description}
            isRequired={required}
          />
        );
      })}
    </dl>
  );
}

interface FieldRowProps {
  name: string;
  type: string;
  description: string | undefined;
  isRequired: boolean;
  children?: ReactNode;
}

function FieldRow({ name, type, description, isRequired, children }: FieldRowProps) {
  return (
    <div className="flex flex-col gap-1 py-2.5 first:pt-0 last:pb-0">
      <dt className="flex flex-wrap items-baseline gap-x-2">
        <code className="break-all font-medium font-mono text-xs">{name}</code>
        <span className="text-text-muted text-xs">{type}</span>
        {isRequired && <span className="text-warning text-xs">required</span>}
      </dt>
      <dd className="flex flex-col gap-2">
        {description && (
          <p className="text-text-muted">
            <Words text={description} />
          </p>
        )}
        {children}
      </dd>
    </div>
  );
}
