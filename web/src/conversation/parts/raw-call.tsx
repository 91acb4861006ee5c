import type { ShownItem } from "../../live/turns.ts";
import { JsonDetails } from "./json-details.tsx";
import { Output } from "./output.tsx";
import { callPart, resultPart } from "./tool-frame.tsx";

export function RawInput({ call }: { call: ShownItem }) {
  const input = callPart(call)?.input;
  return input === undefined ? null : <JsonDetails label="Input" value={input} />;
}

export function RawOutput({ result }: { result: ShownItem | null }) {
  const part = resultPart(result);
  if (!part || part.output === "") return null;
  return <Output label={part.isError ? "Error" : "Output"} text={part.output} isError={part.isError} />;
}
