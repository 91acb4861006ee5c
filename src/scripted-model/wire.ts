/** An answer as it goes over the wire: what both APIs have in common. */
import type { Asked } from "./asked.ts";
import type { Answer } from "./pick.ts";
import type { HttpError } from "./script.ts";

/** The frames of a stream. A piece is the least that can come alone. */
export type Stream = { opening: string; pieces: string[]; closing: string };

export type Api = {
  /** Throws where the request is none of this API. */
  read(body: unknown): Asked;
  stream(asked: Asked, answer: Answer, pieceLength: number): Stream;
  whole(asked: Asked, answer: Answer): unknown;
  errorBody(error: HttpError): unknown;
  /** An error in the middle of a stream that began well. */
  errorFrame(message: string): string;
};

export type Piece =
  | { kind: "think"; text: string }
  | { kind: "say"; text: string }
  | { kind: "tool"; index: number; id: string; name: string; text: string; first: boolean };

export function piecesOf(answer: Answer, length: number): Piece[] {
  const calls = answer.tools.flatMap(({ id, name, input }, index) =>
    cut(JSON.stringify(input), length).map((text, number) => ({
      kind: "tool" as const,
      index,
      id,
      name,
      text,
      first: number === 0,
    })),
  );
  return [
    ...cut(answer.think ?? "", length).map((text) => ({ kind: "think" as const, text })),
    ...cut(answer.say ?? "", length).map((text) => ({ kind: "say" as const, text })),
    ...calls,
  ];
}

/** By characters, not by code units: half a character is no text. */
function cut(text: string, length: number): string[] {
  const characters = Array.from(text);
  const pieces: string[] = [];
  for (let start = 0; start < characters.length; start += length) {
    pieces.push(characters.slice(start, start + length).join(""));
  }
  return pieces;
}

export function usageOf(asked: Asked, answer: Answer): NonNullable<Answer["usage"]> {
  const said = `${answer.think ?? ""}${answer.say ?? ""}${JSON.stringify(answer.tools)}`;
  return answer.usage ?? { input: Math.ceil(asked.size / 4), output: Math.ceil(said.length / 4) };
}
