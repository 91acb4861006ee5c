import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import type { TranscriptRow } from "../../../core/transcript/transcript.ts";
import type { Json } from "../../json-fields.ts";
import { jsonIn } from "../../json-fields.ts";
import { reopenUnfinishedTurns } from "../../process-pool/transcript-slice.ts";
import { TranscriptReader } from "./reader.ts";

/** Recorded from the real program; see docs/claude.md. */
const fixtures = fileURLToPath(new URL("../../../../test/fixtures/claude", import.meta.url));
const first = "a77e0001-0000-4000-8000-000000000001";

function recorded(name: string): Json[] {
  const lines = readFileSync(`${fixtures}/${name}.rows.jsonl`, "utf8").split("\n");
  return lines.map(jsonIn).filter((row) => row !== null);
}

function readerOf(rows: readonly Json[]): TranscriptReader {
  const reader = new TranscriptReader();
  for (const row of rows) reader.add(row);
  return reader;
}

/** A row as one line: `> prompt`, or `text [tools] end`. */
function told({ role, text, tools, finish, error, completedAt }: TranscriptRow): string {
  if (role !== "assistant") return `> ${text}`;
  const calls = tools.map(({ name, status, rejected }) => `${name} ${rejected ? "refused" : status}`);
  const end = error ? `${error.kind}: ${error.message}` : completedAt === null ? "open" : finish;
  return [text, calls.length > 0 ? `[${calls.join(", ")}]` : "", end].filter((part) => part !== "").join(" ");
}

const rowsOf = (name: string) => reopenUnfinishedTurns(readerOf(recorded(name)).newest(null)).map(told);

const user = (uuid: string, parentUuid: string | null, text: string, more: Json = {}): Json => {
  const message = { role: "user", content: [{ type: "text", text }] };
  return { type: "user", uuid, parentUuid, timestamp: "2026-01-01T00:00:00.000Z", message, ...more };
};
const assistant = (uuid: string, parentUuid: string, message: Json, more: Json = {}): Json => {
  return { type: "assistant", uuid, parentUuid, timestamp: "2026-01-01T00:00:01.000Z", message, ...more };
};

describe("a recorded transcript", () => {
  test.each([
    ["read-edit-say", ["> go", "I read. [Read completed] tool-calls", "[Edit completed] tool-calls", "Done. stop"]],
    ["two-turns", ["> one", "You said one. stop", "> two", "You said two. stop"]],
    ["two-tools", ["> go", "[Bash completed, Bash error] tool-calls", "One worked. stop"]],
    ["thinking", ["> go", "Forty-two. stop"]],
    ["todos", ["> go", "[TaskCreate completed] tool-calls", "[TaskUpdate completed] tool-calls", "Looked. stop"]],
    ["subagent", ["> go", "[Task completed] tool-calls", "All done. stop"]],
    ["hooks", ["> go", "[Bash completed] tool-calls", "Done. stop"]],
    ["questions", ["> go", "[AskUserQuestion completed] tool-calls", "Noted. stop"]],
    ["permission-allowed", ["> go", "[Bash completed] tool-calls", "Made. stop"]],
    // A rule refused the first, and the turn continued; a person refused the second, and the turn ended.
    ["permission-denied", ["> go", "[Bash error] tool-calls", "Then not. stop"]],
    ["permission-rejected", ["> go", "[Bash refused] tool-calls"]],
    ["interrupted", ["> go", "I begin. [Bash refused] tool-calls"]],
    ["killed", ["> go", "I begin. [Bash running] open"]],
    ["api-error", ["> go", "Credit balance is too low failed: Credit balance is too low"]],
    ["api-retry", ["> go", "There you are. stop"]],
    ["interrupted-ask", ["> go", "[Bash refused] tool-calls"]],
    ["interrupted-early", ["> go", "aborted: interrupted"]],
    ["interrupted-speaking", ["> go", "This is said so  aborted: interrupted"]],
    [
      "queued",
      [
        "> go",
        "You said go, slowly enough for another to come. stop",
        "> next",
        "You said next, slowly enough for another to come. stop",
      ],
    ],
    ["repeated", ["> go", "You said go. stop", "> next", "You said next. stop"]],
    [
      "writing",
      [
        "> go",
        "[Write completed] tool-calls",
        "[Read completed, Edit error] tool-calls",
        "[Write completed] tool-calls",
        "Written. stop",
      ],
    ],
    ["empty", ["> go"]],
    ["joined", ["> go", "[Bash completed] tool-calls", "> and this", "Both heard. stop"]],
    ["compaction", ["> one", "Fine. stop", "> two", "Fine. stop", "> too long", "Fits. stop"]],
  ])("%s", (name, rows) => {
    expect(rowsOf(name)).toEqual(rows);
  });

  test("background: a turn that the program started has its own prompt", () => {
    const [, , , prompt, answer] = readerOf(recorded("background")).newest(null);
    expect(prompt).toMatchObject({ role: "system", text: expect.stringContaining("task-notification") });
    expect(answer).toMatchObject({ parentId: prompt?.id, text: "It has ended." });
  });

  test("joined: the turn still belongs to the prompt that started it", () => {
    const answers = readerOf(recorded("joined"))
      .newest(null)
      .filter(({ role }) => role === "assistant");
    expect(answers.map(({ parentId }) => parentId)).toEqual([first, first]);
  });

  test.each(
    readdirSync(fixtures)
      .filter((name) => name.endsWith(".rows.jsonl"))
      .map((name) => name.replace(".rows.jsonl", ""))
      .filter((name) => name !== "joined"),
  )("%s: every answer belongs to the prompt before it, whatever is in between", (name) => {
    let prompt: string | null = null;
    for (const row of readerOf(recorded(name)).newest(null)) {
      if (row.role !== "assistant") prompt = row.id;
      else expect(row.parentId).toBe(prompt);
    }
  });

  test("thinking: reasoning is kept apart from text, and tokens are counted", () => {
    const [, answer] = readerOf(recorded("thinking")).newest(null);
    expect(answer?.reasoning).toMatch(/^This needs some thought/);
    expect(answer?.text).toBe("Forty-two.");
    expect(answer?.usage?.tokens).toBeGreaterThan(0);
  });
});

describe("a turn that was cut off", () => {
  test("is open in an idle session, but not while it runs", () => {
    const running = readerOf(recorded("killed")).newest(null);
    expect(running.at(-1)?.completedAt).not.toBeNull();
    expect(reopenUnfinishedTurns(running).at(-1)?.completedAt).toBeNull();
  });

  test("is not answered by text that the program adds afterwards", () => {
    const rows = recorded("killed");
    const last = rows.findLast((row) => typeof row.uuid === "string")?.uuid as string;
    const content = [{ type: "text", text: "No response requested." }];
    const madeUp = assistant("made-up", last, { model: "<synthetic>", stop_reason: "stop_sequence", content });
    const reader = readerOf([...rows, madeUp, user("next", "made-up", "once more")]);
    expect(reopenUnfinishedTurns(reader.newest(null)).map(told)).toEqual([
      "> go",
      "I begin. [Bash running] open",
      "> once more",
    ]);
  });
});

describe("the end of a turn, as the program reports it", () => {
  const end = { prompts: [first], at: 5, error: null, cost: 0.25 };

  test("adds the cost to the turn's last row, once", () => {
    const reader = readerOf(recorded("read-edit-say"));
    reader.turnEnded(end);
    reader.turnEnded(end);
    expect(reader.newest(null).map(({ usage }) => usage?.cost ?? 0)).toEqual([0, 0, 0, 0.25]);
  });

  test("becomes a single row if the agent said nothing", () => {
    const reader = readerOf([user(first, null, "go")]);
    reader.turnEnded(end);
    reader.turnEnded(end);
    expect(reader.newest(null).map(told)).toEqual(["> go", "stop"]);
    expect(reader.newest(null).at(-1)).toMatchObject({ parentId: first, completedAt: 5 });
  });

  test("is a failure if there is an error and no text", () => {
    const reader = readerOf([user(first, null, "go")]);
    reader.turnEnded({ ...end, error: "error_during_execution" });
    expect(reader.newest(null).map(told)).toEqual(["> go", "failed: error_during_execution"]);
  });

  test("is ignored if the prompt is unknown", () => {
    const reader = readerOf(recorded("two-turns"));
    reader.turnEnded({ ...end, prompts: ["another"] });
    expect(reader.size).toBe(4);
  });
});

describe("the reader", () => {
  test("knows the id and text of a prompt that arrived during a turn", () => {
    const attachment = { type: "queued_command", source_uuid: "late", prompt: "and this" };
    const reader = readerOf([user("u", null, "go"), { type: "attachment", uuid: "x", parentUuid: "u", attachment }]);
    expect(reader.newest(null).map(told)).toEqual(["> go", "> and this"]);
    expect(reader.newest(null).at(-1)?.id).toBe("late");
  });

  test("leaves out rows of subagents, notes of the program, and rows without an id", () => {
    const reader = readerOf([
      user("side", null, "from a subagent", { isSidechain: true }),
      user("meta", null, "[Your previous response had no visible output]", { isMeta: true }),
      user("summary", null, "What was said so far", { isCompactSummary: true }),
      { type: "last-prompt", lastPrompt: "go" },
      {},
    ]);
    expect(reader.size).toBe(0);
  });

  test("returns copies of the newest rows", () => {
    const reader = readerOf(recorded("two-turns"));
    const [row] = reader.newest(1);
    expect(row?.text).toBe("You said two.");
    Object.assign(row ?? {}, { text: "changed" });
    expect(reader.newest(1)[0]?.text).toBe("You said two.");
  });

  test("truncates a very long result", () => {
    const call = { id: "msg", model: "m", content: [{ type: "tool_use", id: "t", name: "Bash", input: {} }] };
    const content = [{ type: "tool_result", tool_use_id: "t", content: "x".repeat(100_000) }];
    const reader = readerOf([
      user("u", null, "go"),
      assistant("a", "u", call),
      { ...user("r", "a", ""), message: { role: "user", content } },
    ]);
    expect(reader.newest(1)[0]?.tools[0]?.output.length).toBeLessThan(100_000);
  });
});
