/** Preloaded into the built program: records when the stub agent is read and when it gets a prompt. */
import { appendFileSync } from "node:fs";
import { StubRuntime } from "../../../build/runtimes/stub/runtime.js";

const { read, submit } = StubRuntime.prototype;
const record = (call) => appendFileSync(process.env.WAYBILL_TEST_CALLS, `${JSON.stringify(call)}\n`);

StubRuntime.prototype.read = async function (lane, session, limit) {
  const slice = await read.call(this, lane, session, limit);
  record({ call: "read", lane: lane.id, session, status: slice.status, rows: slice.rows.map(({ id }) => id) });
  return slice;
};

StubRuntime.prototype.submit = function (lane, prompt, signal) {
  record({ call: "submit", lane: lane.id, session: prompt.sessionId, id: prompt.messageId });
  return submit.call(this, lane, prompt, signal);
};
