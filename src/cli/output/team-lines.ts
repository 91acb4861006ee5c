/** Formats teams: their members, and what each one is doing. Pure. */
import type { Member, Team } from "../../client/index.ts";
import { oneLine } from "./format.ts";
import type { StyledText } from "./table.ts";
import { fieldLines, table } from "./table.ts";
import type { Paint } from "./terminal.ts";

type Format = { width: number; paint: Paint };

const head = ["TEAM", "MEMBER", "KIND", "DOING", "ROLE", "LANE"];

export function teamTable(teams: readonly Team[], format: Format): string[] {
  return table(
    head,
    teams.flatMap((team) => {
      const rows = team.members.map((member) => memberRow(team, member));
      return rows.length > 0 ? rows : [[{ text: team.name, style: "bold" } as const, "", "", stateOf(team), "", ""]];
    }),
    format,
  );
}

/** One line for each reason why a team's files cannot be used. */
export function noticeLines(teams: readonly Team[]): string[] {
  return teams.flatMap(({ name, notices }) => notices.map(({ message }) => `${name}: ${oneLine(message)}`));
}

export function teamLines(team: Team, format: Format): string[] {
  const { name, displayName, state, members, directory, notices } = team;
  const fields = fieldLines(
    [
      ["team", format.paint("bold", oneLine(name))],
      ["name", displayName === null ? null : oneLine(displayName)],
      ["state", state],
      ["files", directory === null ? null : oneLine(directory)],
      ["problems", notices.map(({ message }) => format.paint("yellow", oneLine(message))).join("\n") || null],
    ],
    format.paint,
  );
  return members.length === 0 ? [...fields, "", "It has no members."] : [...fields, "", ...teamTable([team], format)];
}

function memberRow(team: Team, { name, kind, state, role, lane }: Member) {
  const isOver = state === "terminated" || state === "offline" || state === "paused" || state === "blocked";
  const doing: StyledText = isOver ? { text: state, style: "yellow" } : { text: state, style: "green" };
  return [{ text: team.name, style: "bold" } as const, name, kind, doing, role ?? "", lane ?? ""];
}

function stateOf({ state }: Team): StyledText {
  return state === "active" ? { text: "no members", style: "dim" } : { text: state, style: "yellow" };
}
