/** The runtime for Abacus: how its program is started for a session, and how a prompt is sent. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Lane } from "../../../../src/core/lane/lane.ts";
import type { TranscriptSlice } from "../../../../src/core/transcript/transcript.ts";
import type { SubmitOutcome } from "../../../../src/runtimes/port.ts";
import { inheritedEnvironment } from "../../../../src/runtimes/process/agent-environment.ts";
import type {
  Launch,
  ProcessRuntimeOptions,
  ReadPrompt,
} from "../../../../src/runtimes/process-pool/process-runtime.ts";
import { ProcessRuntime } from "../../../../src/runtimes/process-pool/process-runtime.ts";
import { AbacusClient } from "./client.ts";
import { Transcripts } from "./transcript.ts";
import { AbacusTranslator } from "./translate.ts";

export class AbacusRuntime extends ProcessRuntime<AbacusClient> {
  readonly #env: NodeJS.ProcessEnv;
  readonly #transcripts: Transcripts;

  constructor(options: ProcessRuntimeOptions) {
    super(options);
    const directory = join(options.directory, "sessions");
    mkdirSync(directory, { recursive: true });
    this.#env = options.env;
    this.#transcripts = new Transcripts(directory);
  }

  async read(lane: Lane, sessionId: string, limit: number | null): Promise<TranscriptSlice> {
    return this.#transcripts.slice(sessionId, limit, this.processOf(lane.id, sessionId));
  }

  protected launch(_lane: Lane, sessionId: string): Launch<AbacusClient> {
    const path = this.#transcripts.pathOf(sessionId);
    return {
      args: [path],
      sessionArgs: [path],
      env: inheritedEnvironment(this.#env, () => false),
      resumed: this.#transcripts.exists(sessionId),
      createClient: (connection) => new AbacusClient(connection),
      handshake: (client) => client.request("initialize"),
      translator: () => new AbacusTranslator(),
    };
  }

  protected beforeSend(_lane: Lane, { sessionId }: ReadPrompt): boolean {
    this.#transcripts.markPrompted(sessionId);
    return false;
  }

  /** The program responds once the prompt is stored, so the response proves that it was accepted. */
  protected async send(client: AbacusClient, { messageId, text }: ReadPrompt): Promise<SubmitOutcome> {
    await client.prompt(messageId, text);
    return { outcome: "accepted" };
  }
}
