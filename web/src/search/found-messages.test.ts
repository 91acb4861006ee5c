import { expect, it } from "vitest";
import type { Message, MessagePage } from "waybill/client";
import { foundMessages, partiesOf } from "./found-messages.ts";

const page = {
  messages: [
    { id: "m1", to: { lane: "a" }, lane: "a" },
    { id: "m1", to: { lane: "b" }, lane: "b" },
    { id: "m1", to: { person: "user" }, lane: "a", relayOfMessageId: null },
    { id: "m2", to: { team: "shop", member: "ann" }, lane: "c" },
  ],
  deliveries: [
    { id: "in b", messageId: "m1", lane: "b" },
    { id: "in a", messageId: "m1", lane: "a" },
    { id: "in c", messageId: "m2", lane: "c" },
  ],
} as unknown as MessagePage;

it("a message to a lane has a delivery, and one to a person has none", () => {
  expect(foundMessages([page]).map(({ delivery }) => delivery?.id ?? null)).toEqual(["in a", "in b", null, "in c"]);
});

it("pages follow each other", () => {
  expect(foundMessages([page, { messages: [], deliveries: [] }, page])).toHaveLength(8);
});

it("a reply leads to the delivery that it replies to", () => {
  const id = "0f".repeat(32);
  const reply = (name: string, relayOfMessageId: string | null) =>
    ({ id: name, to: { person: "user" }, lane: "a", relayOfMessageId }) as Message;
  const messages = [
    reply(`answer-${id}`, "m1"),
    reply(`remark-${id}-2`, "m1"),
    reply("mine", "m1"),
    reply(`answer-${id}`, null),
  ];
  expect(foundMessages([{ messages }]).map(({ deliveryId }) => deliveryId)).toEqual([id, id, null, null]);
});

it("sender and recipient are named once", () => {
  const nameOf = (lane: string) => (lane === "a" ? "Ann's lane" : lane);
  const parties = (from: string, to: Message["to"], lane: string | null) =>
    Object.values(partiesOf({ from, to, lane } as Message, nameOf)).join(" ");
  expect(parties("user", { lane: "a" }, "a")).toBe("You to Ann's lane");
  expect(parties("a", { person: "user" }, "a")).toBe("Ann's lane to you");
  expect(parties("b", { person: "eve" }, "a")).toBe("b to eve in Ann's lane");
  expect(parties("waybill", { team: "shop", member: "bob" }, null)).toBe("Waybill to bob of shop");
});
