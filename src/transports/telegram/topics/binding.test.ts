import { describe, expect, test } from "vitest";
import type { Binding } from "./binding.ts";
import { addressOf, bindingName, concerns } from "./binding.ts";

const lane = { id: "api", team: "shop", member: "ann" };

describe("a binding", () => {
  test.each<[string, Binding, unknown, string]>([
    ["to a lane sends to the lane", { lane: "api" }, { lane: "api" }, "api"],
    ["to a member sends to the member", { team: "shop", member: "ann" }, { team: "shop", member: "ann" }, "shop/ann"],
    ["to a team sends to its lead", { team: "shop" }, { team: "shop", member: "lead" }, "shop"],
  ])("%s", (_, binding, address, name) => {
    expect(addressOf(binding)).toEqual(address);
    expect(bindingName(binding)).toBe(name);
  });

  test.each<[string, Binding, boolean]>([
    ["to the lane", { lane: "api" }, true],
    ["to another lane", { lane: "web" }, false],
    ["to the lane's member", { team: "shop", member: "ann" }, true],
    ["to another member", { team: "shop", member: "ben" }, false],
    ["to the whole team", { team: "shop" }, true],
    ["to another team", { team: "bank" }, false],
  ])("%s concerns the lane: %#", (_, binding, expected) => {
    expect(concerns(binding, lane)).toBe(expected);
  });
});
