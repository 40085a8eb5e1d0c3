import { declare, formed, listOf, oneOf, text, whole } from '../tool.ts';

/** Mail, calendar, tasks and documents. */
export const officeTools = [
  declare({
    name: 'send_email',
    description:
      'Sends an email from the user’s mailbox. Plain text or HTML, with copies and attachments by file id.',
    properties: {
      to: listOf(formed('email', 'An address.'), 'Recipients.'),
      subject: text('Subject line.'),
      body: text('The message.'),
      cc: listOf(formed('email', 'An address.'), 'Recipients of a copy.'),
    },
    required: ['to', 'subject', 'body'],
  }),
  declare({
    name: 'search_mailbox',
    description:
      'Searches the user’s mailbox by sender, words, folder and date, and returns matching messages with a snippet, newest first.',
    properties: {
      query: text('Words to look for in subject and body.'),
      sender: text('Name or address of the sender.'),
      since: formed('date', 'Only messages from this day on.'),
      limit: whole(1, 100, 'How many messages to return.'),
    },
    required: ['query'],
  }),
  declare({
    name: 'create_calendar_event',
    description:
      'Creates an event in the user’s calendar, invites attendees and reserves a meeting room where one is asked for.',
    properties: {
      title: text('Title of the event.'),
      start: formed('date-time', 'When it starts.'),
      duration_minutes: whole(5, 1440, 'How long it lasts.'),
      attendees: listOf(formed('email', 'An address.'), 'People to invite.'),
      location: text('Room or address.'),
    },
    required: ['title', 'start'],
  }),
  declare({
    name: 'set_reminder',
    description:
      'Sets a reminder that alerts the user at a time or on arriving at a place, once or again and again.',
    properties: {
      text: text('What to be reminded of.'),
      remind_at: formed('date-time', 'When to alert.'),
      place: text('Alert on arriving here instead.'),
      repeat: oneOf(['never', 'daily', 'weekdays', 'weekly'], 'How it repeats.'),
    },
    required: ['text'],
  }),
  declare({
    name: 'create_task',
    description:
      'Adds a task to a project board with an assignee, a due date and labels, and returns its key.',
    properties: {
      project: text('Key or name of the project.'),
      title: text('What is to be done, in one line.'),
      details: text('Context and acceptance criteria.'),
      assignee: text('Who shall do it.'),
      due_date: formed('date', 'When it must be done.'),
    },
    required: ['project', 'title'],
  }),
  declare({
    name: 'post_chat_message',
    description:
      'Posts a message into a channel or thread of the team chat, with mentions, and returns the permalink.',
    properties: {
      channel: text('Channel name without the hash, or a user for a direct message.'),
      message: text('The text; Markdown is understood.'),
      thread_id: text('Reply in this thread.'),
      mention: listOf(text('A user name.'), 'People to notify.'),
    },
    required: ['channel', 'message'],
  }),
  declare({
    name: 'translate_text',
    description:
      'Translates a text between languages, keeping names, numbers and markup, in a formal or informal voice.',
    properties: {
      text: text('The text to translate.'),
      target_language: oneOf(
        ['english', 'german', 'french', 'spanish', 'japanese', 'chinese'],
        'Language to translate into.',
      ),
      source_language: text('Language of the text; detected when left out.'),
      formality: oneOf(['formal', 'informal'], 'Voice to use.'),
    },
    required: ['text', 'target_language'],
  }),
  declare({
    name: 'summarize_document',
    description:
      'Reads a document by file id or link and returns a summary of the length and form asked for, with page references.',
    properties: {
      document: text('File id or link of the document.'),
      length: oneOf(['one_line', 'paragraph', 'page'], 'How long the summary may be.'),
      style: oneOf(['bullets', 'prose'], 'Form of the summary.'),
      focus: text('What the reader cares about most.'),
    },
    required: ['document'],
  }),
];
