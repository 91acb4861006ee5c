import type { Message, Part, SnapshotFileDiff } from "@opencode-ai/sdk/v2/types";
import { describe, expect, it } from "vitest";
import { anItem, LaneHistory } from "../../../../test/support/core/lane-history.ts";
import type { Api } from "../../../../test/support/daemon/http-api.ts";
import { anApi } from "../../../../test/support/daemon/http-api.ts";
import type { FilePart, Item } from "../../../core/turn/item.ts";

const session = "/opencode/session/ses_demo";
type Row = { info: Message; parts: Part[] };

function apiAfter(history: LaneHistory): Api {
  const api = anApi();
  api.service.publish(...history.events);
  return api;
}

function aTurn(history: LaneHistory, id: string, inIt: () => void = () => {}): LaneHistory {
  history.admit(id);
  history.send(id);
  history.begin(id);
  inIt();
  history.says(`said-${id}`, `Done: ${id}.`);
  history.end(id);
  return history;
}

describe("messages", () => {
  const history = new LaneHistory("demo");
  for (const id of ["msg_1", "msg_2", "msg_3"]) aTurn(history, id);

  it("are listed with their parts, oldest first", async () => {
    const rows = (await apiAfter(history).ask(`${session}/message`)).json() as Row[];
    expect(rows.map(({ info, parts }) => [info.role, parts.find(({ type }) => type === "text")])).toMatchObject([
      ["user", { text: "msg_1" }],
      ["assistant", { text: "Done: msg_1." }],
      ["user", { text: "msg_2" }],
      ["assistant", { text: "Done: msg_2." }],
      ["user", { text: "msg_3" }],
      ["assistant", { text: "Done: msg_3." }],
    ]);
  });

  it("are paged, newest page first, and each page has the cursor of the next", async () => {
    const { ask } = apiAfter(history);
    const all = (await ask(`${session}/message?limit=0`)).json() as Row[];
    const newest = await ask(`${session}/message?limit=4`);
    const cursor = newest.headers.get("x-next-cursor") ?? "";
    const oldest = await ask(`${session}/message?limit=4&before=${cursor}`);
    expect([...(oldest.json() as Row[]), ...(newest.json() as Row[])]).toEqual(all);
    expect([all.length, oldest.headers.get("x-next-cursor")]).toEqual([6, null]);
  });

  it("can be read one by one", async () => {
    const { ask } = apiAfter(history);
    const all = (await ask(`${session}/message`)).json() as Row[];
    for (const row of all) expect((await ask(`${session}/message/${row.info.id}`)).json()).toEqual(row);
    expect((await ask(`${session}/message/nobody`)).status).toBe(400);
    const unknown = await ask(`${session}/message/msg_nobody`);
    expect([unknown.status, unknown.json()]).toMatchObject([
      404,
      { name: "NotFoundError", data: { message: "Message not found: msg_nobody" } },
    ]);
  });

  it.each(["limit=-1", "limit=x", "limit=1.5", "limit=1&before=x"])("are not listed for %s", async (query) => {
    expect((await apiAfter(history).ask(`${session}/message?${query}`)).status).toBe(400);
  });
});

describe("the plan", () => {
  const plan = (value: unknown): Item => ({ ...anItem("plan:1", "plan"), parts: [{ type: "json", id: "p", value }] });

  it("is the newest one, in OpenCode's format", async () => {
    const history = new LaneHistory("demo");
    aTurn(history, "msg_1", () => {
      history.item(plan([{ content: "Look", status: "in_progress" }]));
      history.item(plan([{ content: "Look", status: "completed", priority: "high" }, { subject: "Mend" }]));
    });
    aTurn(history, "msg_2", () => history.item(plan([{ content: "Of a subagent" }]), { nativeSession: "sub" }));
    expect((await apiAfter(history).ask(`${session}/todo`)).json()).toEqual([
      { content: "Look", status: "completed", priority: "high" },
      { content: "Mend", status: "pending", priority: "medium" },
    ]);
  });

  it("is empty if there is none", async () => {
    expect((await anApi().ask(`${session}/todo`)).json()).toEqual([]);
  });
});

describe("the diff", () => {
  const changed = (id: string, file: Omit<FilePart, "type">): Item => ({
    ...anItem(id, "file_change"),
    parts: [{ type: "file", ...file }],
  });
  const history = new LaneHistory("demo");
  aTurn(history, "msg_1", () => {
    history.item(changed("f1", { path: "a.ts", change: "added", diff: "--- a\n+++ b\n@@ -0,0 +1,2 @@\n+one\n+two" }));
    history.item(changed("f2", { path: "b.ts", change: "unknown", diff: null }));
  });
  aTurn(history, "msg_2", () => {
    history.item(changed("f3", { path: "a.ts", change: "modified", diff: "--- a\n+++ b\n@@ -1 +1 @@\n-one\n+three" }));
  });
  const diffOf = async (query = "") =>
    (await apiAfter(history).ask(`${session}/diff${query}`)).json() as SnapshotFileDiff[];

  it("has one entry per file, with all of its changes", async () => {
    expect(await diffOf()).toEqual([
      {
        file: "a.ts",
        status: "added",
        additions: 3,
        deletions: 1,
        patch: expect.stringMatching(/\+two\n[\s\S]*\+three/),
      },
      { file: "b.ts", additions: 0, deletions: 0 },
    ]);
  });

  it("can be limited to one message", async () => {
    expect(await diffOf("?messageID=msg_2")).toMatchObject([{ file: "a.ts", status: "modified", additions: 1 }]);
    expect((await diffOf("?messageID=msg_1")).map(({ file }) => file)).toEqual(["a.ts", "b.ts"]);
    expect(await diffOf("?messageID=msg_nobody")).toEqual([]);
  });
});
