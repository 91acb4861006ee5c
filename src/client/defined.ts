/** The fields of a query or body that have a value. */
type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Leaves out fields without a value. */
export function defined<T extends object>(fields: T): Defined<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>;
}
