/** The fields of a request, without those that are null. */

type WithoutNulls<T> = { [K in keyof T]?: NonNullable<T[K]> };

export function withoutNulls<T extends object>(fields: T): WithoutNulls<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null)) as WithoutNulls<T>;
}
