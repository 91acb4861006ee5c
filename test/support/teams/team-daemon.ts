/**
 * The built Waybill as a process with a team of real agents: `dev` and `dev2` on OpenCode in one directory, `ops` on Claude
 * Code, `qa` on pi. One scripted model serves all of them; its answers depend on the prompts.
 */
import { mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import type { ModelScriptInput, ScriptedModel } from "@waybill/scripted-model";
import { isolatedHome, scriptedProvider, startScriptedModel } from "@waybill/scripted-model";
import type { DeliveryDetail, Message, WaybillClient } from "../../../src/client/index.ts";
import { ModelGates } from "../agents/model-gates.ts";
import { claudeBin, claudeEnvironment } from "../claude/claude-process.ts";
import type { DaemonProcess } from "../daemon/daemon-process.ts";
import { freePort } from "../daemon/free-port.ts";
import { Program } from "../daemon/program.ts";
import { opencodeBin } from "../opencode/opencode-server.ts";
import { piBin, piEnvironment } from "../pi/pi-lanes.ts";

const delivery = {
  retryDelaysMs: [300],
  graceMs: 3000,
  rereadMs: 200,
  firstReconcileDelayMs: 300,
  maxReconcileDelayMs: 1000,
};

export class TeamDaemon {
  readonly program = new Program();
  model!: ScriptedModel;
  /** Between the agents and their model. */
  gates!: ModelGates;
  daemon!: DaemonProcess;
  /** Its port stays the same after a crash. */
  client!: WaybillClient;

  async start(
    script: ModelScriptInput,
    settings: { maxExchanges?: number } = {},
    env: Record<string, string> = {},
  ): Promise<this> {
    const { program } = this;
    this.model = await startScriptedModel({ script });
    this.gates = await new ModelGates(this.model.url).start();
    const work = realpathSync(program.work);
    for (const name of ["shared", "ops", "qa"]) mkdirSync(join(work, name));
    const { PATH: _path, ...claude } = claudeEnvironment(program.directory, this.gates.url);
    const { PATH: _also, ...pi } = piEnvironment(program.directory, this.gates.url);
    Object.assign(program.env, claude, pi, isolatedHome(program.directory), {
      OPENCODE_CONFIG_CONTENT: JSON.stringify(scriptedProvider(this.gates.url)),
      PORT: String(await freePort()),
    });
    const port = await freePort();
    const lane = { contract: "tool" };
    program.configure(
      {},
      {
        modelProvider: "opencode_cli",
        opencodeBin,
        opencodeAttachUrl: `http://127.0.0.1:${port}`,
        opencodeServePort: port,
        claudeBin,
        piBin,
        piAgentProvider: "scripted",
        piAgentModel: "scripted",
        delivery: { ...delivery, ...settings },
        lanes: [
          { ...lane, id: "dev", directory: join(work, "shared") },
          { ...lane, id: "dev2", directory: join(work, "shared") },
          { ...lane, id: "ops", directory: join(work, "ops"), runtime: "claude" },
          { ...lane, id: "qa", directory: join(work, "qa"), runtime: "pi" },
        ],
        teams: {
          core: {
            members: {
              dev: { lane: "dev", role: "lead" },
              dev2: { lane: "dev2", role: "second developer" },
              ops: { lane: "ops", role: "operations" },
              qa: { lane: "qa", role: "tester" },
            },
          },
        },
      },
    );
    this.daemon = await program.up(env);
    this.client = program.client();
    return this;
  }

  /** Sends a message, and waits for the outcome. */
  ask(lane: string, messageId: string, text: string): Promise<DeliveryDetail> {
    return this.client.sendAndWait({ messageId, to: { lane }, text });
  }

  /** The messages to a lane, oldest first. */
  async mail(lane: string): Promise<Message[]> {
    const { messages } = await this.client.messages({ lane, limit: 200 });
    return messages.filter(({ to }) => "lane" in to && to.lane === lane).reverse();
  }

  async delivery(lane: string, messageId: string): Promise<DeliveryDetail> {
    const { deliveries } = await this.client.deliveries({ lane, messageId });
    return this.client.delivery(deliveries[0]?.id ?? "");
  }

  async dispose(): Promise<void> {
    await this.program.dispose();
    await this.gates?.close();
    await this.model?.close();
  }
}
