/**
 * The scenarios of `scripts/record-claude.mjs`. Each runs the real program in its own world and leaves two files: the lines
 * of stdout, and the rows of the transcript. Machine names and times are replaced, and long content that is irrelevant to
 * the conversation is left out.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ModelScriptInput } from "@waybill/scripted-model";
import type { ClaudeLine, ClaudeProcess } from "./claude-process.ts";
import { ClaudeWorld } from "./claude-world.ts";

type Scene = { claude: ClaudeProcess; world: ClaudeWorld; session: string };
type Scenario = {
  script: (directory: string) => ModelScriptInput;
  args?: readonly string[];
  files?: Record<string, string>;
  env?: Record<string, string>;
  play(scene: Scene): Promise<unknown>;
};

const session = "5e551011-0000-4000-8000-000000000000";
const bash = (command: string) => ({ tool: "Bash", input: { command, description: "works" } });
const one = (...steps: NonNullable<NonNullable<ModelScriptInput["rules"]>[number]["steps"]>) => ({
  rules: [{ steps }],
});
const turn = async ({ claude }: Scene, text: string, number = 1) => {
  const uuid = `a77e0001-0000-4000-8000-00000000000${number}`;
  claude.prompt(text, uuid);
  await claude.result(uuid);
};
const begun = ({ claude }: Scene) => {
  claude.prompt("go", "a77e0001-0000-4000-8000-000000000001");
  return claude;
};
const isCall = (line: ClaudeLine) => line.message?.content?.[0]?.type === "tool_use";
const isText = (line: ClaudeLine) => line.event?.delta?.type === "text_delta";
const questions = [
  { question: "Which colour?", header: "Colour", options: choices("Red", "Blue"), multiSelect: false },
  { question: "Which fruits?", header: "Fruits", options: choices("Fig", "Plum"), multiSelect: true },
];

function choices(...labels: string[]) {
  return labels.map((label) => ({ label, description: `It is ${label}.` }));
}

const scenarios: Record<string, Scenario> = {
  "read-edit-say": {
    files: { "notes.txt": "alpha\nbeta\n" },
    args: ["--permission-mode", "acceptEdits"],
    script: (directory) => {
      const file_path = join(directory, "notes.txt");
      const edit = { tool: "Edit", input: { file_path, old_string: "beta", new_string: "gamma" } };
      return one(
        { say: "I read.", tools: [{ tool: "Read", input: { file_path } }] },
        { tools: [edit] },
        { say: "Done." },
      );
    },
    play: (scene) => turn(scene, "go"),
  },
  thinking: {
    script: () =>
      one({ think: "This needs some thought.", say: "Forty-two.", usage: { input: 90, output: 12, cached: 30 } }),
    play: (scene) => turn(scene, "go"),
  },
  "two-tools": {
    script: () => one({ tools: [bash("echo one"), bash("ls missing")] }, { say: "One worked." }),
    play: (scene) => turn(scene, "go"),
  },
  "two-turns": {
    script: () => ({ otherwise: [{ say: "You said {{text}}." }] }),
    play: async (scene) => {
      await turn(scene, "one", 1);
      await turn(scene, "two", 2);
    },
  },
  "permission-allowed": {
    script: () => one({ tools: [bash("touch made")] }, { say: "Made." }),
    play: (scene) => withAnswer(scene, (input) => ({ behavior: "allow", updatedInput: input })),
  },
  "permission-denied": {
    script: () => one({ tools: [bash("touch made")] }, { say: "Then not." }),
    play: (scene) => withAnswer(scene, () => ({ behavior: "deny", message: "Not now." })),
  },
  "permission-rejected": {
    script: () => one({ tools: [bash("touch made")] }, { say: "Never said." }),
    play: (scene) => withAnswer(scene, () => ({ behavior: "deny", message: "Stop.", interrupt: true })),
  },
  questions: {
    script: () => one({ tools: [{ tool: "AskUserQuestion", input: { questions } }] }, { say: "Noted." }),
    play: (scene) =>
      withAnswer(scene, (input) => ({
        behavior: "allow",
        updatedInput: { ...input, answers: { "Which colour?": "Blue", "Which fruits?": "Fig, Plum" } },
      })),
  },
  subagent: {
    script: () => ({
      rules: [
        { when: "inner job", steps: [{ say: "Inside.", tools: [bash("echo inner")] }, { say: "Inner done." }] },
        {
          steps: [
            {
              tools: [
                {
                  tool: "Task",
                  input: { description: "inner", prompt: "inner job", subagent_type: "general-purpose" },
                },
              ],
            },
            { say: "All done." },
          ],
        },
      ],
    }),
    play: (scene) => turn(scene, "go"),
  },
  background: {
    env: { CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "0" },
    script: () => ({
      rules: [
        { when: "task-notification", steps: [{ say: "It has ended." }] },
        {
          steps: [
            { tools: [{ tool: "Bash", input: { command: "sleep 1", description: "d", run_in_background: true } }] },
            { say: "Begun." },
          ],
        },
      ],
    }),
    play: async (scene) => {
      await turn(scene, "go");
      await scene.claude.until((line) => line.type === "result" && line.origin !== undefined);
    },
  },
  compaction: {
    script: () => ({
      rules: [
        {
          when: "too long",
          steps: [
            { error: { status: 400, message: "prompt is too long: 2 tokens > 1 maximum" }, once: true },
            { say: "Fits." },
          ],
        },
      ],
      otherwise: [{ say: "Fine." }],
    }),
    play: async (scene) => {
      for (const [index, text] of ["one", "two", "too long"].entries()) await turn(scene, text, index + 1);
    },
  },
  "api-error": {
    script: () =>
      one({ error: { status: 400, message: "Your credit balance is too low to access the Anthropic API." } }),
    play: (scene) => turn(scene, "go"),
  },
  "api-retry": {
    script: () => one({ error: "overloaded", once: true }, { say: "There you are." }),
    play: (scene) => turn(scene, "go"),
  },
  "a-thousand-lines": {
    files: { "notes.txt": "alpha\nbeta\n" },
    script: (directory) => {
      const read = { tool: "Read", input: { file_path: join(directory, "notes.txt") } };
      const rounds = Array.from({ length: 52 }, (_, round) => ({
        think: `Round ${round} wants a look.`,
        say: `I look for the ${round}th time.`,
        tools: [round % 2 === 0 ? read : bash(`echo ${round}`)],
      }));
      return one(...rounds, { say: "Seen enough." });
    },
    play: (scene) => turn(scene, "go"),
  },
  writing: {
    files: { "notes.txt": "alpha\nbeta\n" },
    args: ["--permission-mode", "acceptEdits"],
    script: (directory) => {
      const [made, notes] = [join(directory, "made.txt"), join(directory, "notes.txt")];
      const edit = (old_string: string) => ({
        tool: "Edit",
        input: { file_path: notes, old_string, new_string: "gamma" },
      });
      return one(
        { tools: [{ tool: "Write", input: { file_path: made, content: "one\n" } }] },
        { tools: [{ tool: "Read", input: { file_path: notes } }, edit("nowhere")] },
        { tools: [{ tool: "Write", input: { file_path: notes, content: "alpha\ndelta" } }] },
        { say: "Written." },
      );
    },
    play: (scene) => turn(scene, "go"),
  },
  joined: {
    script: () => one({ tools: [bash("sleep 2")] }, { say: "Both heard." }),
    play: async (scene) => {
      await begun(scene).until(isCall);
      await turn(scene, "and this", 2);
    },
  },
  queued: {
    script: () => ({ otherwise: [{ say: "You said {{text}}, slowly enough for another to come.", pieceMs: 200 }] }),
    play: async (scene) => {
      await begun(scene).until(isText);
      await turn(scene, "next", 2);
    },
  },
  repeated: {
    script: () => ({ otherwise: [{ say: "You said {{text}}." }] }),
    play: async (scene) => {
      await turn(scene, "go");
      const heard = scene.claude.lines.length;
      begun(scene);
      await scene.claude.until((line) => line.isReplay === true, heard);
      await turn(scene, "next", 2);
    },
  },
  empty: { script: () => one({}, {}), play: (scene) => turn(scene, "go") },
  "interrupted-early": {
    script: () => one({ say: "Never said.", waitMs: 30_000 }),
    play: (scene) => interrupt(scene, (line) => line.status === "requesting"),
  },
  "interrupted-speaking": {
    script: () => one({ think: "Hm.", say: "This is said so slowly that somebody stops it.", pieceMs: 1000 }),
    play: (scene) => interrupt(scene, isText),
  },
  "interrupted-ask": {
    script: () => one({ tools: [bash("touch made")] }, { say: "Never said." }),
    play: (scene) => interrupt(scene, (line) => line.type === "control_request"),
  },
  interrupted: {
    script: () => one({ say: "I begin.", tools: [bash("sleep 30")] }, { say: "Never said." }),
    play: (scene) => interrupt(scene, isCall),
  },
  killed: {
    script: () => one({ say: "I begin.", tools: [bash("sleep 30")] }, { say: "Never said." }),
    play: async (scene) => {
      await begun(scene).until(isCall);
      await scene.world.row(scene.session, (row) => row.message?.stop_reason === "tool_use");
    },
  },
  todos: {
    args: ["--tools", "Bash,TaskCreate,TaskUpdate"],
    script: () =>
      one(
        {
          tools: [{ tool: "TaskCreate", input: { subject: "Look", description: "Look at it", activeForm: "Looking" } }],
        },
        { tools: [{ tool: "TaskUpdate", input: { taskId: "1", status: "completed" } }] },
        { say: "Looked." },
      ),
    play: (scene) => turn(scene, "go"),
  },
  hooks: {
    args: [
      "--include-hook-events",
      "--settings",
      JSON.stringify({ hooks: { PreToolUse: [{ hooks: [{ type: "command", command: "echo seen" }] }] } }),
    ],
    script: () => one({ tools: [bash("echo one")] }, { say: "Done." }),
    play: (scene) => turn(scene, "go"),
  },
};

/** As soon as it has got this far. */
async function interrupt(scene: Scene, soFar: (line: ClaudeLine) => boolean): Promise<void> {
  await begun(scene).until(soFar);
  scene.claude.request("interrupt");
  await scene.claude.until((line) => line.state === "cancelled");
}

async function withAnswer(scene: Scene, response: (input: object) => object): Promise<void> {
  const claude = begun(scene);
  const ask = await claude.ask();
  claude.answer(ask, response(ask.request.input));
  await claude.until((line) => line.type === "command_lifecycle" && /completed|cancelled/.test(line.state));
}

/** All scenarios, or the given ones. */
export async function recordClaude(directory: string, names: readonly string[]): Promise<void> {
  mkdirSync(directory, { recursive: true });
  for (const name of names.length > 0 ? names : Object.keys(scenarios)) {
    const scenario = scenarios[name];
    if (!scenario) throw new Error(`Unknown scenario ${name}. Known: ${Object.keys(scenarios).join(", ")}.`);
    const { lines, rows } = await record(scenario);
    for (const [kind, list] of Object.entries({ lines, rows })) {
      writeFileSync(join(directory, `${name}.${kind}.jsonl`), list.map((line) => `${line}\n`).join(""));
    }
  }
}

async function record(scenario: Scenario): Promise<{ lines: string[]; rows: string[] }> {
  const world = await new ClaudeWorld().open();
  world.model.setScript(scenario.script(world.directory));
  for (const [name, text] of Object.entries(scenario.files ?? {})) writeFileSync(join(world.directory, name), text);
  const claude = world.start(["--session-id", session, ...(scenario.args ?? [])], scenario.env);
  await scenario.play({ claude, world, session });
  // Rows are written a moment after the line; only the scenario of a killed program must not wait for them.
  if (!claude.lines.some(({ type }) => type === "result")) await claude.stop();
  else claude.child.stdin.end();
  await claude.exited;
  const neutral = neutralise(world);
  const recorded = {
    lines: claude.lines.map(neutral),
    rows: world.rows(session).filter(isTold).map(withoutNotes).map(neutral),
  };
  await world.close();
  return recorded;
}

/** Copies of requests and system prompts are large and not part of the conversation. */
function isTold({ type }: ClaudeLine): boolean {
  return !/^(api-request|atis-latch|last-prompt|tools-used)/.test(type);
}

/** Notes to the model are the program's own texts; only their position in the chain of rows matters here. */
function withoutNotes({ rendered: _rendered, ...row }: ClaudeLine): ClaudeLine {
  const { attachment } = row;
  return attachment && attachment.type !== "queued_command" ? { ...row, attachment: { type: attachment.type } } : row;
}

const long = new Set(["tools", "slash_commands", "skills", "plugins", "capabilities", "terminal_slash_commands"]);

function neutralise(world: ClaudeWorld): (line: ClaudeLine) => string {
  const ids = new Map<string, string>();
  const idOf = (id: string) => {
    if (!ids.has(id)) ids.set(id, `00000000-0000-4000-8000-${String(ids.size + 1).padStart(12, "0")}`);
    return ids.get(id) as string;
  };
  const folder = world.home.replace(/[^a-zA-Z0-9]/g, "-");
  const shorten = (key: string, value: unknown) => {
    if (long.has(key) && Array.isArray(value)) return value.slice(0, 3);
    if (["rendered", "snapshot", "systemPrompt", "content"].includes(key) && JSON.stringify(value)?.length > 2000)
      return null;
    return typeof value === "number" && /(_ms|Ms|At|_time|[dD]uration)$/.test(key) ? 1 : value;
  };
  return (line) =>
    JSON.stringify(line, shorten)
      .replaceAll(world.home, "/home/user")
      .replaceAll(folder, "-home-user")
      .replace(/claude-\d+\/-home/g, "claude-1000/-home")
      .replace(/127\.0\.0\.1:\d+/g, "127.0.0.1:1")
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "2026-01-01T00:00:00.000Z")
      .replace(/cc-socks\/\d+/g, "cc-socks/1")
      .replace(/"(osVersion|shell|platform|machineID)":"[^"]*"/g, '"$1":"any"')
      .replace(/(OS Version|Shell|Platform): [^\\"]*/g, "$1: any")
      .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, (id) =>
        id === session || id.startsWith("a77e0001") ? id : idOf(id),
      );
}
