/** Teams, their members, people's mailboxes, and holds. */
import type { Paging } from "./requests.ts";
import { DaemonRequests, defined } from "./requests.ts";
import type { Hold, Message, NewMember, NewTeam, Team, TeamImport, Unread } from "./shapes.ts";

export class TeamClient extends DaemonRequests {
  /** All teams with their members, and what each member is doing. */
  teams(): Promise<{ teams: Team[] }> {
    return this.safely((api, init) => api.GET("/v1/teams", init));
  }

  team(team: string): Promise<Team> {
    return this.safely((api, init) => api.GET("/v1/teams/{team}", { params: { path: { team } }, ...init }));
  }

  /** Creates a team, or changes its display name. */
  putTeam(team: string, body: NewTeam = {}): Promise<Team> {
    return this.change((api, init) => api.PUT("/v1/teams/{team}", { params: { path: { team } }, body, ...init }));
  }

  /** Follows the inbox files of a team from now on. Safe to repeat. */
  importTeam(body: TeamImport): Promise<Team> {
    return this.change((api, init) => api.POST("/v1/teams/import", { body, ...init }));
  }

  /** The lanes of its members stay. */
  async removeTeam(team: string): Promise<void> {
    await this.change((api, init) => api.DELETE("/v1/teams/{team}", { params: { path: { team } }, ...init }));
  }

  /** Sends nothing to its members until it is resumed; running turns continue. */
  pauseTeam(team: string): Promise<Team> {
    return this.change((api, init) => api.POST("/v1/teams/{team}/pause", { params: { path: { team } }, ...init }));
  }

  resumeTeam(team: string): Promise<Team> {
    return this.change((api, init) => api.POST("/v1/teams/{team}/resume", { params: { path: { team } }, ...init }));
  }

  /** Like a pause, but also stops running turns. */
  stopTeam(team: string): Promise<Team> {
    return this.change((api, init) => api.POST("/v1/teams/{team}/stop", { params: { path: { team } }, ...init }));
  }

  /** Adds or changes a member. */
  putMember(team: string, member: string, body: NewMember): Promise<Team> {
    const params = { path: { team, member } };
    return this.change((api, init) => api.PUT("/v1/teams/{team}/members/{member}", { params, body, ...init }));
  }

  /** Its lane stays, and messages that wait in it are still delivered. */
  removeMember(team: string, member: string): Promise<Team> {
    const params = { path: { team, member } };
    return this.change((api, init) => api.DELETE("/v1/teams/{team}/members/{member}", { params, ...init }));
  }

  /** Approves the shutdown of a member: it gets nothing more until it is added again. */
  shutDownMember(team: string, member: string): Promise<Team> {
    const params = { path: { team, member } };
    return this.change((api, init) => api.POST("/v1/teams/{team}/members/{member}/shutdown", { params, ...init }));
  }

  /** The token of a member that Waybill does not run; valid for the tools only. */
  memberToken(team: string, member: string): Promise<{ token: string }> {
    const params = { path: { team, member } };
    return this.change((api, init) => api.POST("/v1/teams/{team}/members/{member}/token", { params, ...init }));
  }

  /** The messages to a person ("user" by default), newest first. */
  inbox({ unread, ...query }: Paging & { person?: string | undefined; unread?: boolean | undefined } = {}): Promise<{
    messages: Message[];
    nextCursor?: string;
  }> {
    const wanted = defined({ ...query, unread: unread ? ("true" as const) : undefined });
    return this.safely((api, init) => api.GET("/v1/inbox", { params: { query: wanted }, ...init }));
  }

  /** How many messages to a person ("user" by default) are unread, in total and by conversation. */
  unread(query: { person?: string | undefined } = {}): Promise<Unread> {
    return this.safely((api, init) => api.GET("/v1/inbox/unread", { params: { query: defined(query) }, ...init }));
  }

  /** Marks messages to a person as read: the given ones, or all. */
  markRead(marks: { person?: string | undefined; ids?: string[] | undefined } = {}): Promise<{ marked: number }> {
    return this.change((api, init) => api.POST("/v1/inbox/read", { body: defined(marks), ...init }));
  }

  /** Agents that are held because they only write to each other. */
  holds(): Promise<{ holds: Hold[] }> {
    return this.safely((api, init) => api.GET("/v1/holds", init));
  }

  /** Lets the agents of two lanes continue. */
  releaseHold(lane: string, other: string): Promise<{ released: number }> {
    const body = { lanes: [lane, other] as [string, string] };
    return this.change((api, init) => api.POST("/v1/holds/release", { body, ...init }));
  }
}
