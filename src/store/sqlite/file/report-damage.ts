/** Turns damage that a read or write of the store meets into a readable error, and remembers it. */
import { isDamage } from "./file-errors.ts";
import type { StoreHealth } from "./store-health.ts";

type Method = (...args: unknown[]) => unknown;

export function reportDamage<T extends object>(store: T, health: StoreHealth): T {
  const told = (error: unknown): never => {
    throw isDamage(error) ? health.failed(error) : error;
  };
  const reporting =
    (method: Method): Method =>
    (...args) => {
      try {
        const result = method(...args);
        return result instanceof Promise ? result.catch(told) : result;
      } catch (error) {
        return told(error);
      }
    };
  const methods = Object.entries(store as Record<string, Method>).map(([name, method]) => [name, reporting(method)]);
  return Object.fromEntries(methods) as T;
}
