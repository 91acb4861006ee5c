/** The real SDK client over real sockets, when the daemon restarts. */
import { createOpencodeClient } from "@opencode-ai/sdk/v2/client";
import { expect, onTestFinished, test } from "vitest";
import { anApiOn, token } from "../../../../test/support/daemon/http-api.ts";
import { serviceOf } from "../../../../test/support/daemon/service-of.ts";
import type { World } from "../../../../test/support/daemon/waybill.ts";
import { startWorld } from "../../../../test/support/daemon/waybill.ts";
import { aClient, aHub, withoutLiveTexts } from "../../../../test/support/opencode/hub-client.ts";
import { listen } from "../../http/serve.ts";

const script = { always: [{ steps: [{ say: "I begin" }, { tool: "read", output: "x" }, { say: "It is done." }] }] };

async function aServer(world: World, port: number) {
  const { app, errors } = anApiOn(serviceOf(world.waybill), { clock: world.clock });
  const listening = await listen({ port, app });
  onTestFinished(async () => {
    await listening.close();
    expect(errors).toEqual([]);
  });
  return listening;
}

async function answered(world: World, id: string): Promise<void> {
  await world.send({ id });
  await world.reaches(id, "responded");
}

test("an SDK client continues after a restart of the daemon, without misses or repetitions", async () => {
  const world = await startWorld({ script });
  const first = await aServer(world, 0);
  const leave = new AbortController();
  onTestFinished(() => leave.abort());
  let comeBack = () => {};
  const isBack = new Promise<void>((resolve) => {
    comeBack = resolve;
  });
  const waits: number[] = [];
  // The daemon starts during the client's own reconnect delay.
  const sseSleepFn = (ms: number) => {
    waits.push(ms);
    return isBack;
  };
  const client = createOpencodeClient({
    baseUrl: `${first.url}/opencode`,
    headers: { authorization: `Bearer ${token}` },
  });
  const options = { signal: leave.signal, sseSleepFn };
  const { stream } = await client.event.subscribe({ directory: "/tmp" }, options);
  const heard: { id: string; type: string }[] = [];
  const until = async (type: string) => {
    while (heard.at(-1)?.type !== type) {
      const { value, done } = await stream.next();
      if (done) throw new Error("the client has given up");
      heard.push(value);
    }
  };
  await until("server.connected");
  const whole = await aClient(aHub(world));
  await answered(world, "m1");
  await until("session.idle");
  const going = until("server.connected");
  await first.close();
  await world.stop();
  await world.start();
  await answered(world, "m2");
  await aServer(world, first.port);
  comeBack();
  await going;
  expect(waits).toEqual([500]);
  await until("session.idle");
  const reference = await aClient(aHub(world), { after: whole.from });
  const lines = withoutLiveTexts(reference.seen, whole.seen);
  const wanted = lines.map(({ id }) => id);
  const known = new Set(wanted);
  expect(heard.map(({ id }) => id).filter((id) => known.has(id))).toEqual(wanted);
  // Two complete daemons with sockets, one after the other: slow on a busy machine, but it waits for no fixed time.
});
