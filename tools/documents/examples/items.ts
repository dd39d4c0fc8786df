/** Examples of responses to item calls. */
const fetchedAt = "2026-11-21T01:09:35.668Z";
const oneOk = { requested: 1, ok: 1, partial: 0, notFound: 0, unavailable: 0 };

export const productsEnvelope = {
  platform: "retailer_d",
  marketplace: "us",
  tier: "standard",
  results: [
    {
      id: "9000001",
      status: "ok",
      fetchedAt,
      title: "Norvane Espresso Machine C0001",
      url: "https://retailer-d.example/product/9000001",
      price: { amount: 63.88, currency: "USD" },
      availability: { inStock: true, message: "In stock" },
      seller: { name: "Retailer D" },
      fulfillment: { byPlatform: true },
      images: ["https://retailer-d.example/images/9000001.jpg"],
      retailer_d: {
        state: "ADD_TO_CART",
        regularPrice: 149.99,
        savings: 86.11,
        brand: "Norvane",
        condition: "Refurbished",
        category: "Small Kitchen Appliances",
        purchasable: true,
      },
    },
    { id: "9000007", status: "not_found", fetchedAt },
  ],
  stats: { requested: 2, ok: 1, partial: 0, notFound: 1, unavailable: 0, elapsedMs: 19 },
  credits: 2,
};

export const offerListingId = "kX9fQ2mVw7Lz";

export const offersEnvelope = {
  platform: "retailer_a",
  marketplace: "us",
  results: [
    {
      id: "B0SANDBOX0",
      asin: "B0SANDBOX0",
      status: "ok",
      fetchedAt,
      buyboxOfferListingId: offerListingId,
      totalOffers: 1,
      offers: [
        {
          offerListingId,
          price: 99.99,
          currency: "USD",
          priceDisplay: "$99.99",
          shipping: 0,
          condition: "new",
          seller: { id: "S1", name: "Retailer A", rating: 4.8, ratingCount: 1_204 },
          fulfillment: { isFba: true, fulfillerName: "Retailer A" },
          isBuybox: true,
          availability: "In Stock",
        },
      ],
    },
  ],
  stats: { ...oneOk, elapsedMs: 812 },
  credits: 1,
};

export const offerCheckEnvelope = {
  platform: "retailer_a",
  marketplace: "us",
  results: [
    {
      id: offerListingId,
      asin: "B0SANDBOX0",
      offerListingId,
      status: "ok",
      fetchedAt,
      buyable: true,
    },
  ],
  stats: { ...oneOk, elapsedMs: 412 },
  credits: 1,
};
