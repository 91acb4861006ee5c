/** Which keys a schema knows at a path. */
import { z } from "zod";

export function validKeys(schema: z.ZodType, path: readonly PropertyKey[]): readonly string[] {
  return [
    ...new Set(schemasAt([schema], path).flatMap((one) => (one instanceof z.ZodObject ? Object.keys(one.shape) : []))),
  ];
}

function schemasAt(schemas: readonly z.core.$ZodType[], path: readonly PropertyKey[]): readonly z.core.$ZodType[] {
  const plain = schemas.flatMap(unwrapped);
  const [key, ...rest] = path;
  return key === undefined
    ? plain
    : schemasAt(
        plain.flatMap((one) => below(one, key)),
        rest,
      );
}

/** Without what only says that a value may be missing; of a union, every form. */
function unwrapped(schema: z.core.$ZodType): readonly z.core.$ZodType[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return unwrapped(schema.def.innerType);
  if (schema instanceof z.ZodUnion) return schema.def.options.flatMap(unwrapped);
  return [schema];
}

function below(schema: z.core.$ZodType, key: PropertyKey): readonly z.core.$ZodType[] {
  if (schema instanceof z.ZodObject) {
    const inner = (schema.shape as Record<PropertyKey, z.core.$ZodType | undefined>)[key];
    return inner ? [inner] : [];
  }
  if (schema instanceof z.ZodArray) return [schema.element];
  return schema instanceof z.ZodRecord ? [schema.valueType] : [];
}
