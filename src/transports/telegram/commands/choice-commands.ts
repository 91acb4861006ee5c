/** `/model` and `/agent`: show or choose what this topic's agent program uses, from the next message on. */
import type { Lane } from "../../../core/lane/lane.ts";
import { AppError } from "../../../platform/app-error.ts";
import { nearest } from "../../../platform/nearest.ts";
import type { LaneSettings } from "../../../service/service.ts";
import type { TelegramContext } from "../telegram-context.ts";
import { both } from "../telegram-context.ts";
import type { Command } from "./command.ts";
import { answer, openLaneOfCall, refuseUnlessAdmin } from "./command.ts";

const maxListed = 40;
/** Resets to what a new lane would use. */
const reset = "default";

export const model = choiceCommand("model", "Show or choose the model (in a bound topic: administrators only)");
export const agent = choiceCommand("agent", "Show or choose the agent (in a bound topic: administrators only)");

function choiceCommand(kind: "model" | "agent", description: string): Command {
  return {
    name: kind,
    description,
    changesTopic: true,
    async run(call, context) {
      const { state, kept } = await openLaneOfCall(call, context);
      const { lane } = state;
      const known = kind === "model" ? await modelsFor(lane, context) : [];
      if (call.args === "") return both(kept, answer(call, choiceText(kind, lane[kind], known)));
      refuseUnlessAdmin(call, context);
      const wanted = call.args === reset ? null : call.args;
      const changed = await choose(lane, { [kind]: wanted }, known, context);
      const now = changed[kind] ?? "the default";
      return both(kept, answer(call, `The ${kind} is \`${now}\` from the next message on.`));
    },
  };
}

async function choose(
  lane: Lane,
  choice: Partial<Pick<LaneSettings, "model" | "agent">>,
  known: readonly string[],
  { service }: TelegramContext,
): Promise<Lane> {
  const { id, displayName, team, member, runtime, directory, agent, model, contract } = lane;
  const settings = { id, displayName, team, member, runtime, directory, agent, model, contract, ...choice };
  try {
    return (await service.putLane(settings)).lane;
  } catch (error) {
    throw error instanceof AppError ? withNearest(error, choice.model ?? null, known) : error;
  }
}

/** Adds a hint that names the known model closest to the refused one. */
function withNearest(error: AppError, wanted: string | null, known: readonly string[]): AppError {
  const meant = wanted === null ? null : nearest(wanted, known);
  if (meant === null || error.code !== "lane_invalid") return error;
  const { code, message } = error;
  return new AppError({
    code,
    message,
    hint: `Did you mean \`${meant}\`? /model lists the known models.`,
    cause: error,
  });
}

async function modelsFor({ runtime, directory }: Lane, { service }: TelegramContext): Promise<readonly string[]> {
  return (await service.runtimes(directory)).find(({ kind }) => kind === runtime)?.models ?? [];
}

function choiceText(kind: "model" | "agent", current: string | null, known: readonly string[]): string {
  const now = current === null ? "the default" : `\`${current}\``;
  const shown = known.slice(0, maxListed).map((name) => `- \`${name}\``);
  const more = known.length > maxListed ? [`- … and ${known.length - maxListed} more`] : [];
  const list = shown.length === 0 ? "" : `\n\nKnown:\n\n${[...shown, ...more].join("\n")}`;
  return `The ${kind} is ${now}. Use \`/${kind} NAME\` to change it, \`/${kind} ${reset}\` to reset it.${list}`;
}
