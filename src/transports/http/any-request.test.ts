import fc from "fast-check";
import { expect, it } from "vitest";
import { anyRequest } from "../../../test/support/arbitrary-requests.ts";
import { undocumented } from "../../../test/support/documented-answers.ts";
import { anApi } from "../../../test/support/http-api.ts";
import { MemoryService } from "../../../test/support/memory-service.ts";

const known = {
  lane: ["demo"],
  lanes: ["demo", "docs"],
  messages: ["m1", "m2"],
  messageId: ["m1", "m2"],
  deliveries: ["d1"],
  asks: ["a1"],
};

it("no request makes a fault, and every answer is as documented", async () => {
  const succeeded = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.array(anyRequest(known), { minLength: 1, maxLength: 20 }), async (requests) => {
      const { service, ask, errors } = anApi({
        service: new MemoryService(["demo", "docs"]),
        closing: AbortSignal.abort(),
      });
      service.openAsks.push({
        id: "a1",
        kind: "question",
        title: "?",
        laneId: "demo",
        deliveryId: null,
        messageId: null,
        person: null,
        since: 0,
      });
      const sent = await service.send({ id: "m1", to: { lane: "demo" }, from: "user", text: "hello" });
      for (const { operation, path, headers, body } of requests) {
        const here = path.replace("/d1", `/${sent.record.id}`);
        const answer = await ask(here, {
          method: operation.method,
          headers,
          ...(operation.method === "GET" ? {} : { body }),
        });
        expect(undocumented(operation, answer)).toBeNull();
        expect(answer.status).toBeLessThan(500);
        if (answer.status < 400) succeeded.add(operation.operationId);
      }
      expect(errors).toEqual([]);
    }),
    { numRuns: 60 },
  );
  // Requests that never get past the door would prove nothing.
  expect(succeeded.size).toBeGreaterThan(10);
});
