/** The part of pi's extension API that Waybill's extension uses. */
type Dialog = { signal?: AbortSignal | undefined };

type PiEntry = { type: string; customType?: string; data?: unknown; message?: PiMessage };

export type PiMessage = Readonly<Record<string, unknown>>;

export type PiContext = {
  readonly cwd: string;
  /** Aborted when the turn is stopped; undefined between turns. */
  readonly signal: AbortSignal | undefined;
  readonly sessionManager: { getEntries(): readonly PiEntry[] };
  readonly ui: {
    select(title: string, options: readonly string[], dialog?: Dialog): Promise<string | undefined>;
    input(title: string, placeholder?: string, dialog?: Dialog): Promise<string | undefined>;
    notify(message: string, type?: "info" | "warning" | "error"): void;
    setStatus(key: string, text: string | undefined): void;
  };
  abort(): void;
};

export type ToolCallEvent = { toolCallId: string; toolName: string; input: Readonly<Record<string, unknown>> };

export type PiTool = {
  name: string;
  label: string;
  description: string;
  parameters: object;
  execute(
    toolCallId: string,
    params: Readonly<Record<string, unknown>>,
    signal: AbortSignal | undefined,
    onUpdate: unknown,
    ctx: PiContext,
  ): Promise<{ content: { type: "text"; text: string }[]; details: object }>;
};

export type PiApi = {
  on(event: "session_start" | "context", handler: (event: unknown, ctx: PiContext) => void): void;
  on(event: "before_agent_start", handler: (event: unknown, ctx: PiContext) => Promise<void>): void;
  on(event: "agent_end", handler: (event: { messages: readonly PiMessage[] }, ctx: PiContext) => void): void;
  on(
    event: "tool_call",
    handler: (event: ToolCallEvent, ctx: PiContext) => Promise<{ block: true; reason: string } | undefined>,
  ): void;
  registerTool(tool: PiTool): void;
  appendEntry(customType: string, data: unknown): void;
};
