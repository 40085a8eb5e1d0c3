import { declare, formed, listOf, oneOf, text, whole } from '../tool.ts';

const amount = (description: string): object => ({ type: 'number', exclusiveMinimum: 0, description });
const currency = (description: string): object => ({ type: 'string', pattern: '^[A-Z]{3}$', description });

/** Money, orders and customers. */
export const commerceTools = [
  declare({
    name: 'convert_currency',
    description:
      'Converts an amount of money from one currency to another at the rate of a day, with the rate and its source.',
    properties: {
      amount: amount('How much to convert.'),
      from_currency: currency('ISO 4217 code of the amount.'),
      to_currency: currency('ISO 4217 code to convert into.'),
      date: formed('date', 'Day of the rate; the latest when left out.'),
    },
    required: ['amount', 'from_currency', 'to_currency'],
  }),
  declare({
    name: 'get_stock_quote',
    description:
      'Returns the latest price of a listed stock with day change, volume, and, if wanted, a price history.',
    properties: {
      ticker: text('Ticker symbol, such as MSFT.'),
      exchange: text('Exchange code where the ticker is listed more than once.'),
      history: oneOf(['none', 'day', 'month', 'year', 'five_years'], 'Span of the price history.'),
    },
    required: ['ticker'],
  }),
  declare({
    name: 'transfer_money',
    description:
      'Transfers money from an account of the user to a beneficiary. Asks the user to confirm on the phone before it is executed.',
    properties: {
      beneficiary: text('Name of the person or company to pay.'),
      amount: amount('How much.'),
      currency: currency('ISO 4217 code.'),
      purpose: text('Line for the statement.'),
    },
    required: ['beneficiary', 'amount', 'currency'],
  }),
  declare({
    name: 'create_invoice',
    description:
      'Creates a draft invoice for a customer with line items and tax, and returns its number and a link to the PDF.',
    properties: {
      customer: text('Name or id of the customer.'),
      lines: listOf(
        {
          type: 'object',
          properties: {
            description: text('What is billed.'),
            quantity: whole(1, 10_000, 'How many.'),
            unit_price: amount('Price of one.'),
          },
          required: ['description', 'quantity', 'unit_price'],
        },
        'Line items.',
      ),
      currency: currency('ISO 4217 code.'),
      due_date: formed('date', 'When it must be paid.'),
    },
    required: ['customer', 'lines'],
  }),
  declare({
    name: 'issue_refund',
    description:
      'Refunds a paid order in full or in part to the customer’s original payment method and tells the customer.',
    properties: {
      order_id: text('Order to refund, such as ORD-1042.'),
      amount: amount('How much to pay back; all when left out.'),
      reason: oneOf(['damaged', 'not_delivered', 'wrong_item', 'goodwill'], 'Why.'),
      restock: { type: 'boolean', description: 'Put the items back into stock.' },
    },
    required: ['order_id', 'reason'],
  }),
  declare({
    name: 'track_shipment',
    description:
      'Follows a parcel by its tracking number and returns where it is, the carrier’s scans and the expected delivery.',
    properties: {
      tracking_number: text('Number on the label.'),
      carrier: oneOf(['dhl', 'ups', 'fedex', 'usps', 'other'], 'Carrier; detected when left out.'),
      include_history: { type: 'boolean', description: 'All scans instead of the last one.' },
      notify_email: formed('email', 'Tell this address about changes.'),
    },
    required: ['tracking_number'],
  }),
  declare({
    name: 'search_products',
    description:
      'Searches the shop’s catalogue by words and filters and returns products with price, stock and rating.',
    properties: {
      query: text('What the customer is looking for.'),
      category: text('Category to stay in.'),
      max_price: amount('Upper price limit.'),
      in_stock_only: { type: 'boolean', description: 'Leave out what cannot be delivered.' },
      sort_by: oneOf(['relevance', 'price', 'rating', 'newest'], 'Order of the results.'),
    },
    required: ['query'],
  }),
  declare({
    name: 'get_order_status',
    description:
      'Looks up a customer order and returns its status, the items, the payments and the delivery promise.',
    properties: {
      order_id: text('Order number, such as ORD-1042.'),
      customer_email: formed('email', 'Address the order was placed with.'),
      include_items: { type: 'boolean', description: 'List the items of the order.' },
    },
    required: ['order_id'],
  }),
  declare({
    name: 'open_support_ticket',
    description:
      'Opens a ticket for the support team in a customer’s name and returns its number and the promised reply time.',
    properties: {
      customer_email: formed('email', 'Who has the problem.'),
      summary: text('The problem in one line.'),
      description: text('What happened, what was expected, what was tried.'),
      severity: oneOf(['low', 'medium', 'high', 'critical'], 'How badly the customer is hit.'),
    },
    required: ['summary'],
  }),
  declare({
    name: 'search_knowledge_base',
    description:
      'Searches help articles and internal guides by meaning and returns the passages that answer the question, with links.',
    properties: {
      question: text('The question in plain words.'),
      audience: oneOf(['public', 'internal'], 'Articles for whom.'),
      top: whole(1, 20, 'How many passages to return.'),
    },
    required: ['question'],
  }),
];
