// A program in C++ whose functions are traced, and left by exceptions.
#include <cstdio>
#include <stdexcept>

struct inner {
    int leave(int n) const
    {
        if (n == 0)
            throw std::runtime_error("left");
        return leave(n - 1) + 1;
    }
};

template <typename T> T twice(T n)
{
    return n + n;
}

static int operator""_half(unsigned long long n)
{
    return static_cast<int>(n / 2);
}

int main()
{
    int left = 0, sum = 0;
    for (int i = 0; i < 100; i++) {
        try {
            sum += inner().leave(i % 10 ? 0 : i / 100);
        } catch (const std::runtime_error &) {
            left++;
        }
        sum += twice(i);
        if (i % 2)
            sum += 8_half;
    }
    try {
        inner().leave(0);
    } catch (...) {
    }
    std::printf("%d %d\n", left, sum);
}
