import { ItemPlaces } from '../../../../../proxy/core/protocols/responses/item-places.ts';

describe('ItemPlaces', () => {
  it('takes output_index at its word', () => {
    const places = new ItemPlaces();

    expect([places.begin(0, 'a'), places.begin(1, 'b')]).toEqual([0, 1]);
    expect([places.find(1, 'b'), places.find(0, 'another')]).toEqual([1, 0]);
    expect([places.end(1, 'b'), places.end(0, 'a')]).toEqual([1, 0]);
    expect(places.all.filter((place) => places.isOpen(place))).toEqual([]);
  });

  it('goes by the id where there is no index', () => {
    const places = new ItemPlaces();
    places.begin(undefined, 'a');
    places.begin(undefined, 'b');

    expect([places.find(undefined, 'a'), places.find(undefined, 'b')]).toEqual([0, 1]);
    expect(places.end(undefined, 'a')).toBe(0);
  });

  it('means the item that began last where neither is known', () => {
    const places = new ItemPlaces();
    places.begin(undefined, 'a');
    places.end(undefined, 'a');
    places.begin(undefined, 'b');

    expect(places.find(undefined, 'b2')).toBe(1);
    expect(places.end(undefined, 'b3')).toBe(1);
  });

  it('finds no item for an event that names none', () => {
    const places = new ItemPlaces();
    places.begin(0, 'a');

    expect(places.find(undefined, undefined)).toBeUndefined();
  });

  it('gives two items under one index a place each, and tells them apart by their ids', () => {
    const places = new ItemPlaces();

    expect([places.begin(0, 'a'), places.begin(0, 'b')]).toEqual([0, 1]);
    expect([places.find(0, 'a'), places.find(0, 'b'), places.find(0, 'c')]).toEqual([0, 1, 1]);
    expect([places.end(0, 'a'), places.end(0, 'b')]).toEqual([0, 1]);
  });

  it('takes an item that begins twice for one', () => {
    const places = new ItemPlaces();

    expect([places.begin(0, 'a'), places.begin(0, 'a')]).toEqual([0, 0]);
    expect(places.all).toEqual([0]);
  });

  it('gives an item that ends without having begun a place of its own', () => {
    const places = new ItemPlaces();

    expect([places.end(undefined, 'a'), places.end(undefined, 'b'), places.end(5, 'c')]).toEqual([0, 1, 5]);
  });
});
