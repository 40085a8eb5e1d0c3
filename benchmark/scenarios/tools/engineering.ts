import { declare, formed, listOf, oneOf, text, whole } from '../tool.ts';

const repository = text('Repository as owner/name.');

/** Code, delivery and operations. */
export const engineeringTools = [
  declare({
    name: 'create_issue',
    description:
      'Files an issue (bug report or feature wish) in a code repository and returns its number and link.',
    properties: {
      repository,
      title: text('One line that says what is wrong or wanted.'),
      body: text('Steps, expectation, evidence; Markdown.'),
      labels: listOf(text('A label.'), 'Labels to set.'),
    },
    required: ['repository', 'title'],
  }),
  declare({
    name: 'list_pull_requests',
    description:
      'Lists pull requests of a code repository with author, review state and checks, filtered and sorted.',
    properties: {
      repository,
      state: oneOf(['open', 'closed', 'merged', 'all'], 'Which ones.'),
      author: text('Only those of this user.'),
      base_branch: text('Only those against this branch.'),
      limit: whole(1, 100, 'How many to return.'),
    },
    required: ['repository'],
  }),
  declare({
    name: 'merge_pull_request',
    description:
      'Merges a pull request whose checks have passed. Fails where a review is missing or the branch is behind.',
    properties: {
      repository,
      number: whole(1, 1_000_000, 'Number of the pull request.'),
      method: oneOf(['merge', 'squash', 'rebase'], 'How to merge.'),
      commit_message: text('Message of the merge commit.'),
    },
    required: ['repository', 'number'],
  }),
  declare({
    name: 'trigger_deployment',
    description:
      'Deploys a version of a service to an environment, in one go or step by step, and returns the id of the rollout.',
    properties: {
      service: text('Name of the service.'),
      version: text('Tag or commit to deploy.'),
      environment: oneOf(['dev', 'staging', 'production'], 'Where to.'),
      strategy: oneOf(['rolling', 'canary', 'blue_green'], 'How to roll out.'),
    },
    required: ['service', 'version', 'environment'],
  }),
  declare({
    name: 'query_logs',
    description:
      'Searches the logs of a service by query, level and time range and returns the matching lines, newest first.',
    properties: {
      service: text('Name of the service.'),
      query: text('Words or a filter expression.'),
      level: oneOf(['debug', 'info', 'warn', 'error'], 'Lowest level to return.'),
      since: formed('date-time', 'Start of the range.'),
      limit: whole(1, 1000, 'How many lines to return.'),
    },
    required: ['service'],
  }),
  declare({
    name: 'run_sql_query',
    description:
      'Runs a read-only SQL statement against the data warehouse and returns the rows as JSON. Statements that write are refused.',
    properties: {
      sql: text('One SELECT statement.'),
      database: oneOf(['sales', 'product', 'finance'], 'Which warehouse to ask.'),
      parameters: listOf(text('A value.'), 'Values for the placeholders, in order.'),
      max_rows: whole(1, 10_000, 'Rows to return at most.'),
    },
    required: ['sql'],
  }),
  declare({
    name: 'acknowledge_incident',
    description:
      'Acknowledges an incident of the on-call system, so that nobody else is paged, and leaves a first status note.',
    properties: {
      incident_id: text('Incident to take, such as INC-204.'),
      note: text('First assessment.'),
      severity: oneOf(['sev1', 'sev2', 'sev3'], 'New severity, when it changes.'),
      snooze_minutes: whole(5, 240, 'Page again after this time.'),
    },
    required: ['incident_id'],
  }),
];
