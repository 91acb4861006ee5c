import { describe, expect, it } from "vitest";
import { filterGroups, filterItems } from "./palette-filter.ts";

const items = [
  { label: "Backend", keywords: "team shop" },
  { label: "demo" },
  { label: "Go to status", keywords: "health" },
  { label: "Pause demo" },
];
const labels = (typed: string) => filterItems(items, typed).map(({ label }) => label);

describe("the filter", () => {
  it("keeps everything when nothing is typed", () => {
    expect(labels("  ")).toEqual(["Backend", "demo", "Go to status", "Pause demo"]);
  });

  it("prefers the beginning of a label, then of a word, then letters within a word", () => {
    expect(labels("de")).toEqual(["demo", "Pause demo"]);
    const three = [{ label: "xstatus" }, { label: "The status" }, { label: "Status" }];
    expect(filterItems(three, "status").map(({ label }) => label)).toEqual(["Status", "The status", "xstatus"]);
  });

  it("needs every word, in any order", () => {
    expect(labels("demo pau")).toEqual(["Pause demo"]);
    expect(labels("demo status")).toEqual([]);
  });

  it("finds by keywords, after matches of the label", () => {
    expect(labels("health")).toEqual(["Go to status"]);
    expect(
      filterItems([{ label: "a", keywords: "shop" }, { label: "Shop" }], "shop").map(({ label }) => label),
    ).toEqual(["Shop", "a"]);
  });

  it("finds scattered letters, in order", () => {
    expect(labels("gts")).toEqual(["Go to status"]);
    expect(labels("bknd")).toEqual(["Backend"]);
    expect(labels("dnkb")).toEqual([]);
  });
});

describe("groups", () => {
  it("are ordered by their best match, and left out if nothing matches", () => {
    const groups = [
      { title: "Go to", items: [{ label: "sturdy attic" }, { label: "other" }] },
      { title: "Commands", items: [{ label: "Go to status" }] },
      { title: "Empty", items: [{ label: "zzz" }] },
    ];
    expect(filterGroups(groups, "stat").map(({ title }) => title)).toEqual(["Commands", "Go to"]);
    expect(filterGroups(groups, "").map(({ title }) => title)).toEqual(["Go to", "Commands", "Empty"]);
  });
});
