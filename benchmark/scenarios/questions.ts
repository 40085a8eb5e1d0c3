/** Questions that people would ask, and the tool that answers each. */

/** One question. */
export interface Question {
  readonly question: string;
  /** Name of the tool to be called. */
  readonly tool: string;
  /** What the call must say; arguments beyond these are free. */
  readonly says: Readonly<Record<string, unknown>>;
}

/** Questions over the 37 tools. */
export const questions: readonly Question[] = [
  {
    question: 'What will the weather be like in Lisbon tomorrow?',
    tool: 'get_weather_forecast',
    says: { city: 'Lisbon', date: '2026-12-02' },
  },
  {
    question: 'Find me a flight from Berlin to Madrid on 2026-12-18 for 2 people.',
    tool: 'search_flights',
    says: { origin: 'Berlin', destination: 'Madrid', departure_date: '2026-12-18' },
  },
  {
    question: 'Send an email to anna@example.com with the subject "Budget" saying "The numbers are in."',
    tool: 'send_email',
    says: { to: ['anna@example.com'], subject: 'Budget', body: 'The numbers are in.' },
  },
  {
    question: 'How much is 250 USD in EUR?',
    tool: 'convert_currency',
    says: { amount: 250, from_currency: 'USD', to_currency: 'EUR' },
  },
  {
    question: 'Where is my parcel? The tracking number is ZX-4471920.',
    tool: 'track_shipment',
    says: { tracking_number: 'ZX-4471920' },
  },
  {
    question: 'Please merge pull request 812 in "acme/billing" and squash it.',
    tool: 'merge_pull_request',
    says: { repository: 'acme/billing', number: 812, method: 'squash' },
  },
  {
    question: 'Remind me to call the dentist on Monday at 9am.',
    tool: 'set_reminder',
    says: { remind_at: '2026-12-07T09:00:00Z' },
  },
  {
    question: 'Translate "Where is the station?" into Japanese.',
    tool: 'translate_text',
    says: { text: 'Where is the station?', target_language: 'japanese' },
  },
  {
    question: 'Refund order ORD-1042, the item arrived damaged.',
    tool: 'issue_refund',
    says: { order_id: 'ORD-1042', reason: 'damaged' },
  },
  {
    question: 'Set the thermostat in the "living room" to 21 degrees.',
    tool: 'set_thermostat',
    says: { room: 'living room', temperature: 21 },
  },
  {
    question: 'Acknowledge incident INC-204, I am looking into it.',
    tool: 'acknowledge_incident',
    says: { incident_id: 'INC-204' },
  },
  {
    question: 'Deploy version "v2.14.0" of the checkout service to staging.',
    tool: 'trigger_deployment',
    says: { version: 'v2.14.0', environment: 'staging' },
  },
  {
    question: 'Play the song "Blue in Green" in the Kitchen.',
    tool: 'play_music',
    says: { query: 'Blue in Green' },
  },
];
