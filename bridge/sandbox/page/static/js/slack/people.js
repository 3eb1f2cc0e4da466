// Names for ids: who is who in the workspace, by the state as it stands.

/** Looks names up in the store's newest state. */
export class People {
  constructor(store) {
    this.store = store;
  }

  get slack() {
    return this.store.state.slack;
  }

  user(id) {
    const found = this.slack.users.find((each) => each.id === id) ?? (this.slack.bot.id === id ? this.slack.bot : null);
    return found ? found.profile?.display_name || found.real_name || found.name : id;
  }

  users() {
    return this.slack.users.filter((each) => !each.is_bot && !each.deleted);
  }

  channel(id) {
    return this.slack.channels.find((each) => each.id === id)?.name ?? id;
  }

  channels() {
    return this.slack.channels.filter((each) => each.kind !== "im" && !each.archived);
  }

  isMe(id) {
    return this.slack.me.id === id;
  }
}
