/** A value that shows itself only to code that asks for it by name: printed, logged or made JSON it is `[secret]`. */
import { inspect } from "node:util";

export type Secret = { reveal(): string; toString(): string; toJSON(): string };

const hidden = () => "[secret]";

export function secret(value: string): Secret {
  return { reveal: () => value, toString: hidden, toJSON: hidden, [inspect.custom]: hidden } as Secret;
}
