import { expect, it } from "vitest";
import { readDetail } from "./signal.ts";

it("takes the tool and its input if the program reports them", () => {
  const input = { file_path: "a.ts", old_string: "a", new_string: "b" };
  expect(readDetail({ tool: "Edit", input, suggestions: [] })).toEqual({
    ...{ tool: "Edit", input, diff: null },
    fields: input,
  });
});

it("takes the diff that a program reports, and makes up no input", () => {
  const detail = { filepath: "a.ts", diff: "-old\n+new" };
  expect(readDetail(detail)).toEqual({ tool: null, input: null, diff: "-old\n+new", fields: detail });
});

it.each([null, undefined, "bash", 7, [], [{ input: 1 }], { diff: 3, tool: {} }])("finds nothing in %j", (detail) => {
  expect(readDetail(detail)).toMatchObject({ tool: null, input: null, diff: null });
});
