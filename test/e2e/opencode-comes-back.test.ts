/** OpenCode's own clients on Waybill when their stream breaks, and when they connect mid-turn. */
import { EventEmitter, once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import type { ConnectionInfo } from "../../src/transports/http/env.ts";
import { listen } from "../../src/transports/http/serve.ts";
import { anApiOn, token } from "../support/daemon/http-api.ts";
import { serviceOf } from "../support/daemon/service-of.ts";
import { startWorld } from "../support/daemon/waybill.ts";
import { attachOpencode, runOpencode } from "../support/opencode/opencode-clients.ts";

const script = {
  turns: [{ steps: [{ ask: "permission" as const, title: "bash: ls" }, { say: "It was listed." }] }],
  always: [{ steps: [{ say: "Good morning to you." }] }],
};

test("a terminal shows earlier asks and everything that happened while it was disconnected, and run prints only its own turn", async () => {
  const world = await startWorld({ script });
  const service = serviceOf(world.waybill);
  const answered = new EventEmitter();
  let open = 0;
  const serve = (port: number) => {
    const { app } = anApiOn(service, { clock: world.clock });
    const fetch = (request: Request, connection: ConnectionInfo) => {
      open += 1;
      connection.afterAnswer(() => {
        open -= 1;
        answered.emit(new URL(request.url).pathname);
      });
      return app.fetch(request, connection);
    };
    return listen({ port, app: { fetch } });
  };
  await world.send({ id: "m1", text: "List them." });
  await world.clock.until(async () => (await world.waybill.asks.list()).length > 0);

  const first = await serve(0);
  const client = { url: `${first.url}/opencode`, password: token, directory: "/tmp", args: ["--session", "ses_lane"] };
  const wanted = ["message", "todo", "diff"].map((what) => once(answered, `/opencode/session/ses_lane/${what}`));
  const terminal = attachOpencode(client);
  onTestFinished(() => terminal.close());
  await terminal.waitFor(/List them\.[\s\S]*Permission required/);
  // Events alone would show as much, but the terminal leaves the session if a request for it fails. It sends these
  // requests last and together; after that only its stream is open.
  await Promise.all(wanted);
  await expect.poll(() => open).toBe(1);
  await first.close();
  const [ask] = await world.waybill.asks.list();
  await service.answer(ask?.id ?? "", { decision: "once" });
  await world.reaches("m1", "responded");
  const second = await serve(first.port);
  onTestFinished(() => second.close());
  await terminal.waitFor("It was listed.");
  await terminal.waitFor(/^(?![\s\S]*Permission required)/);

  let isOver = false;
  const running = runOpencode("hello", client).finally(() => {
    isOver = true;
  });
  // The program's own clock runs while it starts and waits.
  while (!isOver) {
    await world.clock.advance(20);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const { code, stdout } = await running;
  expect([code, stdout.trim()]).toEqual([0, "Good morning to you."]);
  await terminal.waitFor("Good morning to you.");
});
