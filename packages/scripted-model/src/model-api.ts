/** The interface of a model API, and the parts that both APIs share: splitting an answer into pieces, and its usage. */
import type { Answer } from "./choose-answer.ts";
import type { ModelRequest } from "./model-request.ts";
import type { HttpError } from "./script.ts";

export type ModelApi = {
  /** Throws when the body is not a request of this API. */
  read(body: unknown): ModelRequest;
  /** The frames of a stream. A piece is the smallest unit that can be sent. */
  stream(
    request: ModelRequest,
    answer: Answer,
    pieceLength: number,
  ): { opening: string; pieces: string[]; closing: string };
  whole(request: ModelRequest, answer: Answer): unknown;
  errorBody(error: HttpError): unknown;
  /** An error in the middle of a stream. */
  errorFrame(message: string): string;
};

export type AnswerPiece =
  | { kind: "think"; text: string }
  | { kind: "say"; text: string }
  | { kind: "tool"; index: number; id: string; name: string; text: string; first: boolean };

export function splitAnswer({ think = "", say = "", tools }: Answer, length: number): AnswerPiece[] {
  return [
    ...splitText(think, length).map((text) => ({ kind: "think" as const, text })),
    ...splitText(say, length).map((text) => ({ kind: "say" as const, text })),
    ...tools.flatMap(({ id, name, input }, index) =>
      splitText(JSON.stringify(input), length).map((text, piece) => ({
        kind: "tool" as const,
        index,
        id,
        name,
        text,
        first: piece === 0,
      })),
    ),
  ];
}

/** By characters, not by code units: half a character is not text. */
function splitText(text: string, length: number): string[] {
  return text.match(new RegExp(`.{1,${length}}`, "gsu")) ?? [];
}

export function tokenUsage({ size }: ModelRequest, answer: Answer): NonNullable<Answer["usage"]> {
  const output = `${answer.think ?? ""}${answer.say ?? ""}${JSON.stringify(answer.tools)}`;
  return answer.usage ?? { input: Math.ceil(size / 4), output: Math.ceil(output.length / 4) };
}
