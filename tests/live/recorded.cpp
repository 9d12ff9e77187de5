#include "recorded.h"

#include <QCoreApplication>
#include <QFile>
#include <QProcessEnvironment>
#include <QtTest>

#include <fcntl.h>
#include <sstream>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace wire = torchline::wire;
using namespace Qt::StringLiterals;

namespace {

/// As torch-workload writes them: "[2, 3]6;" a tensor, ";" anything else.
std::string shapesText(const std::string& words)
{
    std::ostringstream out;
    for (size_t at = 0; at + sizeof(wire::InputShape) <= words.size();) {
        wire::InputShape shape;
        std::memcpy(&shape, words.data() + at, sizeof(shape));
        at += sizeof(shape);
        if (shape.tag == wire::kTensorTag && shape.flags == 0) {
            out << '[';
            for (int i = 0; i < shape.rank; ++i, at += sizeof(int64_t)) {
                int64_t size = 0;
                std::memcpy(&size, words.data() + at, sizeof(size));
                out << (i ? ", " : "") << size;
            }
            out << ']' << shape.dtype;
        }
        out << ';';
    }
    return out.str();
}

template <typename T> T recordAt(const char* at)
{
    T record;
    std::memcpy(&record, at, sizeof(record));
    return record;
}

} // namespace

MappedSegment::MappedSegment(int fd)
{
    const int seals = fcntl(fd, F_GET_SEALS);
    m_sealed = (seals & F_SEAL_SHRINK) != 0 && (seals & F_SEAL_GROW) != 0 && (seals & F_SEAL_SEAL) != 0;
    struct stat status = {};
    fstat(fd, &status);
    m_bytes = static_cast<size_t>(status.st_size);
    void* const memory = mmap(nullptr, m_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    m_base = memory == MAP_FAILED ? nullptr : static_cast<char*>(memory);
}

MappedSegment::~MappedSegment()
{
    if (m_base)
        munmap(m_base, m_bytes);
}

const wire::SegmentHeader& MappedSegment::header() const
{
    return *reinterpret_cast<const wire::SegmentHeader*>(m_base);
}

wire::SlotHeader& MappedSegment::slot(uint32_t i) const
{
    return *reinterpret_cast<wire::SlotHeader*>(m_base + header().slotsAt + i * header().slotStride);
}

std::vector<std::string> MappedSegment::arena(wire::ArenaKind kind) const
{
    std::vector<std::string> out;
    const char* const begin = m_base + header().arenaAt;
    const uint64_t end = header().arenaHead.load(std::memory_order_acquire);
    for (uint64_t at = 0; at < end;) {
        const auto entry = recordAt<wire::ArenaEntry>(begin + at);
        at += sizeof(entry);
        if (entry.kind() == kind) {
            out.emplace_back(begin + at, entry.bytes());
            if (entry.id != out.size())
                qFatal("an id that does not follow the last one");
        }
        at += (entry.bytes() + 7) / 8 * 8;
    }
    return out;
}

std::vector<RecordedSlot> MappedSegment::read() const
{
    std::vector<std::string> names = arena(wire::ArenaKind::Name); // by id
    std::vector<std::string> shapes = arena(wire::ArenaKind::Shapes);
    for (std::string& words : shapes)
        words = shapesText(words);
    names.insert(names.begin(), std::string());
    shapes.insert(shapes.begin(), std::string());
    std::vector<RecordedSlot> out;
    for (uint32_t i = 0; i < header().slotsUsed.load(std::memory_order_acquire); ++i) {
        wire::SlotHeader& from = slot(i);
        RecordedSlot to = {};
        to.state = static_cast<wire::SlotState>(from.state.load(std::memory_order_acquire));
        to.tid = from.tid;
        to.torchThread = from.torchThread;
        to.dropped = from.dropped.load();
        for (uint32_t d = 0; d < std::min(from.depth.load(), wire::kOpenOps); ++d)
            to.open.push_back(names.at(from.open[d].name));
        const char* const ring = reinterpret_cast<const char*>(&from) + wire::kRingAt;
        const uint64_t ringBytes = header().ringBytes;
        const uint64_t head = from.head.load(std::memory_order_acquire);
        for (uint64_t at = from.tail.load(); at < head;) {
            const char* const place = ring + at % ringBytes;
            const auto record = recordAt<wire::RecordHead>(place);
            switch (record.type) {
            case wire::RecordType::Pad:
                at += ringBytes - at % ringBytes;
                continue;
            case wire::RecordType::Op: {
                const auto op = recordAt<wire::OpRecord>(place);
                const uint32_t stack
                    = record.size < sizeof(wire::OpStackRecord) ? 0 : recordAt<wire::OpStackRecord>(place).stack;
                to.ops.push_back({names.at(record.name), shapes.at(op.shapes), op, stack});
                break;
            }
            case wire::RecordType::Memory:
                to.memory.push_back(recordAt<wire::MemoryRecord>(place));
                break;
            case wire::RecordType::Step:
                to.steps.push_back(recordAt<wire::StepRecord>(place));
                break;
            case wire::RecordType::AsyncOpen:
                to.asyncOpen.push_back({names.at(record.name), recordAt<wire::AsyncRecord>(place)});
                break;
            case wire::RecordType::AsyncEnd:
                to.asyncEnd.push_back({names.at(record.name), recordAt<wire::AsyncRecord>(place)});
                break;
            case wire::RecordType::Dropped:
                to.drops.push_back(recordAt<wire::DroppedRecord>(place));
                break;
            case wire::RecordType::Thread:
                to.threads.push_back(recordAt<wire::ThreadRecord>(place));
                break;
            default:
                qFatal("a record of type %d", static_cast<int>(record.type));
            }
            if (record.size < sizeof(wire::RecordHead) || record.size % 8 != 0)
                qFatal("a record of %d bytes", record.size);
            at += record.size;
        }
        out.push_back(std::move(to));
    }
    return out;
}

uint64_t MappedSegment::written() const
{
    uint64_t out = 0;
    for (uint32_t i = 0; i < header().slotsUsed.load(std::memory_order_acquire); ++i)
        out += slot(i).written.load();
    return out;
}

void MappedSegment::drain()
{
    for (uint32_t i = 0; i < header().slotsUsed.load(std::memory_order_acquire); ++i)
        slot(i).tail.store(slot(i).head.load(std::memory_order_acquire), std::memory_order_release);
}

std::vector<nlohmann::json> RecordedProcess::ofType(const std::string& type)
{
    const std::lock_guard lock(mutex);
    std::vector<nlohmann::json> out;
    for (const nlohmann::json& message : messages) {
        if (message.at("type") == type)
            out.push_back(message);
    }
    return out;
}

int RecordedProcess::pid()
{
    const std::vector<nlohmann::json> hello = ofType("hello");
    return hello.empty() ? 0 : hello.front().at("pid").get<int>();
}

void RecordedProcess::say(const std::string& line)
{
    const std::lock_guard lock(mutex);
    QCOMPARE(send(socket, line.data(), line.size(), MSG_NOSIGNAL), static_cast<ssize_t>(line.size()));
}

std::vector<RecordedSlot> RecordedProcess::slots()
{
    const std::lock_guard lock(mutex);
    std::vector<RecordedSlot> out;
    for (const auto& segment : segments) {
        for (RecordedSlot& slot : segment->read())
            out.push_back(std::move(slot));
    }
    return out;
}

Recorded::Recorded()
{
    m_socket = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    qstrncpy(address.sun_path, socketPath().toLocal8Bit().constData(), sizeof(address.sun_path));
    if (bind(m_socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0
        || ::listen(m_socket, 64) != 0)
        qFatal("no socket at %s", address.sun_path);
    m_acceptor = std::thread([this] { accept(); });
}

Recorded::~Recorded()
{
    leave();
    if (m_program.state() != QProcess::NotRunning) {
        m_program.kill();
        m_program.waitForFinished();
    }
}

QString Recorded::socketPath() const
{
    return m_folder.filePath(u"window.sock"_s);
}

void Recorded::leave()
{
    if (m_socket < 0)
        return;
    shutdown(m_socket, SHUT_RDWR);
    m_acceptor.join();
    close(m_socket);
    m_socket = -1;
    for (const auto& process : m_processes) {
        const std::lock_guard lock(process->mutex);
        if (process->socket >= 0)
            shutdown(process->socket, SHUT_RDWR);
    }
    for (std::thread& listener : m_listeners)
        listener.join();
    for (const auto& process : m_processes)
        close(process->socket);
    m_listeners.clear();
}

void Recorded::accept()
{
    for (;;) {
        const int fd = accept4(m_socket, nullptr, nullptr, SOCK_CLOEXEC);
        if (fd < 0)
            return;
        const auto process = std::make_shared<RecordedProcess>();
        process->socket = fd;
        const std::lock_guard lock(m_mutex);
        m_processes.push_back(process);
        m_listeners.emplace_back([this, process] { listen(process); });
    }
}

void Recorded::listen(const std::shared_ptr<RecordedProcess>& process)
{
    std::vector<char> text(65536);
    for (;;) {
        iovec part = {text.data(), text.size()};
        alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
        msghdr message = {};
        message.msg_iov = &part;
        message.msg_iovlen = 1;
        message.msg_control = control;
        message.msg_controllen = sizeof(control);
        const ssize_t got = recvmsg(process->socket, &message, MSG_CMSG_CLOEXEC);
        const std::lock_guard lock(process->mutex);
        if (got <= 0) {
            process->closed = true;
            return;
        }
        process->messages.push_back(nlohmann::json::parse(text.data(), text.data() + got));
        if (const cmsghdr* const header = CMSG_FIRSTHDR(&message)) {
            int fd = -1;
            std::memcpy(&fd, CMSG_DATA(header), sizeof(fd));
            process->segments.push_back(std::make_shared<MappedSegment>(fd));
            close(fd);
        }
    }
}

void Recorded::start(const QString& program, const QStringList& arguments, const QString& config)
{
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(u"LD_PRELOAD"_s, QCoreApplication::applicationDirPath() + u"/libtorchline-agent.so"_s);
    environment.insert(u"TORCHLINE_SOCK"_s, socketPath());
    environment.insert(u"TORCHLINE_CONFIG"_s, config);
    environment.remove(u"TORCHLINE_FIRST_PROCESS"_s);
    m_program.setProcessEnvironment(environment);
    m_program.setProcessChannelMode(QProcess::MergedChannels);
    m_program.start(program, arguments);
}

bool Recorded::finish()
{
    if (m_program.state() != QProcess::NotRunning && !m_program.waitForFinished(120'000))
        return false;
    for (const auto& process : processes()) { // what it sent last is still on its way
        const auto closed = [&] {
            const std::lock_guard lock(process->mutex);
            return process->closed;
        };
        if (!QTest::qWaitFor(closed, 10'000))
            return false;
    }
    return true;
}

bool Recorded::run(const QString& program, const QStringList& arguments, const QString& config)
{
    start(program, arguments, config);
    return finish();
}

std::vector<std::shared_ptr<RecordedProcess>> Recorded::processes()
{
    const std::lock_guard lock(m_mutex);
    return m_processes;
}

std::shared_ptr<RecordedProcess> Recorded::first()
{
    if (!QTest::qWaitFor([this] { return !processes().empty(); }, 20'000))
        qFatal("no process connected");
    return processes().front();
}

std::vector<CountedOp> readCounts(const QString& path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return {};
    const QByteArray text = file.readAll();
    std::vector<CountedOp> out;
    for (const nlohmann::json& op : nlohmann::json::parse(text.begin(), text.end())) {
        out.push_back({op.at("thread"), op.at("name"), op.at("scope"), op.at("depth"), op.at("sequence"),
            op.at("forward"), op.at("shapes")});
    }
    return out;
}
