/** `/pause` and `/resume`: stop and continue sending in the topic's lane. In a bound topic, administrators only. */
import type { Command } from "./command.ts";
import { answer } from "./command.ts";
import { count } from "./status-text.ts";
import { laneOfCall, refuseUnlessAdmin } from "./topic-lane.ts";

export const pause: Command = {
  name: "pause",
  description: "Send nothing until /resume (in a bound topic: administrators only)",
  async run(call, context) {
    refuseUnlessAdmin(call, context);
    const { lane } = await laneOfCall(call, context);
    const { holder } = await context.service.pause(lane.id, `paused by ${call.message.from.name}`);
    const running = holder ? " The running turn continues; /stop ends it." : "";
    return answer(call, `Paused. Your messages are kept and sent after /resume.${running}`);
  },
};

export const resume: Command = {
  name: "resume",
  description: "Continue after /pause (in a bound topic: administrators only)",
  async run(call, context) {
    refuseUnlessAdmin(call, context);
    const { lane } = await laneOfCall(call, context);
    const state = await context.service.resume(lane.id);
    const held = state.lane.teamHold === null ? "" : ` Its team still holds it back (${state.lane.teamHold}).`;
    const waiting = state.waiting === 0 ? "" : ` ${count(state.waiting, "message")} waiting.`;
    return answer(call, `Resumed.${waiting}${held}`);
  },
};
