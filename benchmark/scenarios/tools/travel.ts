import { declare, formed, listOf, oneOf, text, whole } from '../tool.ts';

/** Weather, travel and places. */
export const travelTools = [
  declare({
    name: 'get_weather_forecast',
    description:
      'Returns the weather forecast for a city: temperature, chance of rain, wind and sunshine, by day or by the hour.',
    properties: {
      city: text('City name, with the country where it is ambiguous.'),
      date: formed('date', 'First day of the forecast; today when left out.'),
      days: whole(1, 14, 'How many days to cover.'),
      units: oneOf(['celsius', 'fahrenheit'], 'Temperature scale.'),
    },
    required: ['city'],
  }),
  declare({
    name: 'search_flights',
    description:
      'Searches scheduled flights between two airports or cities and returns fares, airlines, stops and duration, cheapest first.',
    properties: {
      origin: text('City or IATA code of departure.'),
      destination: text('City or IATA code of arrival.'),
      departure_date: formed('date', 'Day of the outbound flight.'),
      return_date: formed('date', 'Day of the return flight; one way when left out.'),
      passengers: whole(1, 9, 'Number of travellers.'),
    },
    required: ['origin', 'destination', 'departure_date'],
  }),
  declare({
    name: 'book_hotel_room',
    description:
      'Books a hotel room for a stay and charges the card on file. Returns the confirmation number and the cancellation terms.',
    properties: {
      city: text('City of the hotel.'),
      hotel_name: text('Name of the hotel, when a particular one is wanted.'),
      check_in: formed('date', 'Day of arrival.'),
      check_out: formed('date', 'Day of departure.'),
      guests: whole(1, 8, 'Number of guests.'),
    },
    required: ['city', 'check_in', 'check_out'],
  }),
  declare({
    name: 'find_restaurants',
    description:
      'Finds restaurants near a place by cuisine, price and opening hours, with rating and whether a table is free.',
    properties: {
      location: text('Address, district or city to look around.'),
      cuisine: text('Kind of food, such as italian or ramen.'),
      price_level: whole(1, 4, 'From 1 (cheap) to 4 (fine dining).'),
      open_at: formed('date-time', 'When the table is needed.'),
      party_size: whole(1, 20, 'How many people will eat.'),
    },
    required: ['location'],
  }),
  declare({
    name: 'request_ride',
    description:
      'Requests a taxi or ride-hailing car from a pickup address to a destination and returns the driver, the price and the waiting time.',
    properties: {
      pickup: text('Address where the ride starts.'),
      destination: text('Address where the ride ends.'),
      vehicle: oneOf(['standard', 'xl', 'accessible'], 'Kind of car.'),
      pickup_time: formed('date-time', 'When to be picked up; at once when left out.'),
    },
    required: ['pickup', 'destination'],
  }),
  declare({
    name: 'get_driving_route',
    description:
      'Computes a driving route between two addresses with distance, duration in current traffic, tolls and turn-by-turn directions.',
    properties: {
      from_address: text('Where the route starts.'),
      to_address: text('Where the route ends.'),
      avoid: listOf(oneOf(['tolls', 'ferries', 'highways'], 'A kind of road.'), 'Roads to stay away from.'),
      depart_at: formed('date-time', 'Departure, for the traffic estimate.'),
    },
    required: ['from_address', 'to_address'],
  }),
];
