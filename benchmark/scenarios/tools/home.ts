import { declare, listOf, oneOf, text, whole } from '../tool.ts';

/** Home and daily life. */
export const homeTools = [
  declare({
    name: 'generate_image',
    description:
      'Generates an image from a description and returns a link to it. Refuses depictions of real people.',
    properties: {
      prompt: text('What the image shows.'),
      style: oneOf(['photo', 'drawing', 'watercolor', 'logo'], 'Look of the image.'),
      size: oneOf(['512x512', '1024x1024', '1536x1024'], 'Width by height in pixels.'),
    },
    required: ['prompt'],
  }),
  declare({
    name: 'play_music',
    description:
      'Plays a song, album, artist or playlist on a speaker in the house, now or after what is playing.',
    properties: {
      query: text('Song, album, artist or playlist.'),
      speaker: text('Room or name of the speaker.'),
      volume: whole(0, 100, 'Volume in percent.'),
      queue: oneOf(['now', 'next', 'last'], 'Where in the queue.'),
    },
    required: ['query'],
  }),
  declare({
    name: 'control_lights',
    description: 'Switches lights of a room on or off, dims them or changes their colour.',
    properties: {
      room: text('Room whose lights are meant.'),
      action: oneOf(['on', 'off', 'dim', 'brighten', 'color'], 'What to do.'),
      brightness: whole(0, 100, 'Brightness in percent.'),
      color: text('Colour name or hex value.'),
    },
    required: ['room', 'action'],
  }),
  declare({
    name: 'set_thermostat',
    description: 'Sets the heating or cooling of a room to a temperature, now or by a schedule.',
    properties: {
      room: text('Room or zone.'),
      temperature: { type: 'number', minimum: 5, maximum: 35, description: 'Target in degrees Celsius.' },
      mode: oneOf(['heat', 'cool', 'auto', 'off'], 'What to do.'),
      hold_minutes: whole(10, 1440, 'How long to hold it.'),
    },
    required: ['room', 'temperature'],
  }),
  declare({
    name: 'find_recipes',
    description:
      'Finds recipes by dish or by the ingredients at hand, with cooking time, servings and nutrition.',
    properties: {
      query: text('Dish or kind of dish.'),
      ingredients: listOf(text('An ingredient.'), 'What is at hand.'),
      diet: oneOf(['any', 'vegetarian', 'vegan', 'low_carb'], 'Diet to keep.'),
      max_minutes: whole(5, 480, 'Cooking time at most.'),
    },
    required: ['query'],
  }),
  declare({
    name: 'request_leave',
    description:
      'Files a request for vacation or sick leave with the manager and returns the remaining days.',
    properties: {
      kind: oneOf(['vacation', 'sick', 'parental', 'unpaid'], 'Kind of leave.'),
      first_day: { type: 'string', format: 'date', description: 'First day away.' },
      last_day: { type: 'string', format: 'date', description: 'Last day away.' },
      substitute: text('Who takes over meanwhile.'),
    },
    required: ['kind', 'first_day', 'last_day'],
  }),
];
